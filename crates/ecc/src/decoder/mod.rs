//! How is a word decoded from what a channel says of its bits?
//!
//! A decoder takes log-likelihood ratios: above zero a bit is more likely 0, below it is 1, and at zero it counts as 0. All
//! decoders here count alike:
//!
//! - the syndrome is tested before the first iteration and after each, the last included. A word that comes right costs none, and one
//!   that the last iteration sets right has converged;
//! - an iteration takes every check once;
//! - a word stops at the first syndrome of zero, and keeps its bits of then; words beside it change nothing;
//! - a layered decoder takes checks in the order of the matrix's rows, and each sees what those before it have changed.
//!
//! Words lie side by side: the ratio of bit `b` of word `w` at `b * words + w`. They are decoded in lanes, as many at once as
//! [`Decoding::words`] says, and each comes to what it would alone.

use crate::ldpc::Graph;
use std::sync::Arc;

/// Policy interface of a kind of LDPC decoder (`ecc.decoder`) with its parameters; makes the decoders that decode
/// codewords.
pub trait Decoder: Send {
    /// Makes a decoder of this kind, with its working memory, for codewords of the code that `graph` describes.
    fn on(&self, graph: &Arc<Graph>) -> Box<dyn Decoding>;
}

/// Interface of a decoder for one code; it decodes codewords in batches and reuses its working memory from one batch to
/// the next.
pub trait Decoding: Send {
    /// Returns the number of codewords that the decoder decodes together (size of a batch), from 1 to 64.
    fn words(&self) -> usize;

    /// Decodes as many codewords together as [`Self::words`] returns, from their log-likelihood ratios: bit b of
    /// codeword w at `b * words + w`.
    ///
    /// # Panics
    /// When there are more or fewer ratios than bits of so many codewords.
    fn decode(&mut self, ratios: &[f32]) -> &Decoded;
}

/// Record of the results of decoding a batch of codewords: decoded bits, numbers of iterations, and which codewords
/// converged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// List with, for each bit of the code, its decoded value in all codewords of the batch: bit `w` of an entry
    /// belongs to codeword `w`.
    pub bits: Vec<u64>,
    /// List of the numbers of iterations that the decoder took, one for each codeword.
    pub iterations: Vec<u32>,
    /// Mask of the codewords that converged: bit `w` is set if all checks of codeword `w` hold.
    pub converged: u64,
}

impl Decoded {
    fn clear(&mut self, bits: usize, words: usize) {
        self.bits.clear();
        self.bits.resize(bits, 0);
        self.iterations.clear();
        self.iterations.resize(words, 0);
        self.converged = 0;
    }

    /// Returns a mask of the codewords, one bit each, that differ from `sent` in any of its bits; `sent` holds the
    /// first bits of a codeword.
    pub fn wrong(&self, sent: &[bool]) -> u64 {
        let all = all(self.iterations.len());
        let differ = |(bits, sent): (&u64, &bool)| bits ^ if *sent { all } else { 0 };
        self.bits.iter().zip(sent).map(differ).fold(0, |wrong, differ| wrong | differ)
    }

    /// Stores the decoded bits of all codewords that are set in the mask `of`; other codewords of the batch keep the
    /// bits stored before.
    fn keep(&mut self, of: u64, bits: &[u64]) {
        if of != 0 {
            for (kept, bits) in self.bits.iter_mut().zip(bits) {
                *kept = *kept & !of | bits & of;
            }
        }
    }
}

/// Returns the mask of all codewords of a batch: the lowest `words` bits are set.
const fn all(words: usize) -> u64 {
    u64::MAX >> (64 - words)
}

/// Returns a mask of the codewords of a batch, among the codewords in the mask `asked`, in which at least one parity
/// check fails.
fn broken(graph: &Graph, bits: &[u64], asked: u64) -> u64 {
    let mut broken = 0;
    for check in 0..graph.checks() {
        broken |= graph.row(check).iter().fold(0, |odd, bit| odd ^ bits[*bit as usize]);
        if broken & asked == asked {
            break;
        }
    }
    broken & asked
}

/// Runs decoder iterations until every codeword's syndrome is zero, at most `most` iterations, and stores the bits and
/// the iterations of each codeword in `decoded`: `signs` writes the present hard decisions, `iterate` goes through all
/// checks once.
fn run<State>(
    graph: &Graph,
    decoded: &mut Decoded,
    (words, most): (usize, u32),
    state: &mut State,
    signs: impl Fn(&State, &mut Vec<u64>),
    mut iterate: impl FnMut(&mut State, u32),
) {
    decoded.clear(graph.bits(), words);
    let mut open = all(words);
    let mut bits = Vec::with_capacity(graph.bits());
    for iteration in 0..=most {
        if iteration > 0 {
            iterate(state, iteration);
        }
        signs(state, &mut bits);
        let broken = broken(graph, &bits, open);
        let last = if iteration == most { open } else { open & !broken };
        decoded.keep(last, &bits);
        decoded.converged |= open & !broken;
        for (word, iterations) in decoded.iterations.iter_mut().enumerate() {
            *iterations += u32::from(last >> word & 1 == 1) * iteration;
        }
        open &= !last;
        if open == 0 {
            break;
        }
    }
}

config::policies! {
    seam: "ecc.decoder",
    question: "How is a word decoded?",
    default: "min-sum",
    dyn Decoder;
    flipping::GradientDescent,
    min_sum::MinSum,
    min_sum_8::MinSum8,
    min_sum_flooding::MinSumFlooding,
    sum_product::SumProduct,
}

mod lanes;

#[cfg(test)]
mod tests;
