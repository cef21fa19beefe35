use super::lanes::{
    Beliefs, Damping8, Damping32, WORDS_8, WORDS_32, begin_8, signs_8, through_all, through_all_8,
    through_all_32, through_all_at_once, through_all_at_once_32,
};
use super::*;
use crate::channel::Channel;
use crate::ldpc::named;
use crate::measure::Trial;
use nand::cells::normal::Stream;

fn graph(name: &str) -> Arc<Graph> {
    Arc::new(named(name).expect("a shipped code").graph)
}

/// Makes, for the tests, the noisy log-likelihood ratios of a batch of `words` all-zero codewords of a code, the ratios
/// of all codewords for one bit side by side.
fn ratios(graph: &Graph, words: usize, sigma: f64, seed: u64) -> Vec<f32> {
    let noise = Stream::new(seed);
    let channel = Channel::Gauss { sigma };
    (0..graph.bits() * words).map(|at| channel.ratio(noise, at as u64, 1.0)).collect()
}

/// Checks that the vector code of the min-sum decoders that runs on this machine gives the same digits as their plain
/// code, which any machine would run.
#[test]
fn vectors_have_the_digits_of_single_values() {
    let graph = graph("wifi-648-540");
    let by = Damping32 { factor: 0.8, offset: 0.1 };
    let mut fast = Beliefs::<f32, WORDS_32>::new(&graph);
    fast.begin(&ratios(&graph, WORDS_32, 0.6, 1), |ratio| ratio);
    let mut plain = fast.clone();
    let (mut heard, mut heard_plain) =
        (vec![[0.0; WORDS_32]; graph.widest()], vec![[0.0; WORDS_32]; graph.widest()]);
    let by_8 = Damping8 { eighths: 7, offset: 1, most: 127 };
    let mut fast_8 = Beliefs::<i8, WORDS_8>::new(&graph);
    // Far too loud, so that both ends are met.
    fast_8.begin(&ratios(&graph, WORDS_8, 0.6, 2), |ratio| (8.0 * ratio).clamp(-127.0, 127.0) as i8);
    let mut plain_8 = fast_8.clone();
    let (mut heard_8, mut heard_plain_8) =
        (vec![[0; WORDS_8]; graph.widest()], vec![[0; WORDS_8]; graph.widest()]);
    for _ in 0..5 {
        through_all_32(&graph, &mut fast, &mut heard, by);
        through_all(&graph, &mut plain, &mut heard_plain, by);
        assert_eq!(bits_of(&fast), bits_of(&plain));
        through_all_8(&graph, &mut fast_8, &mut heard_8, by_8);
        through_all(&graph, &mut plain_8, &mut heard_plain_8, by_8);
        assert_eq!((&fast_8.of_bits, &fast_8.said), (&plain_8.of_bits, &plain_8.said));
        let (mut signs, mut signs_plain) = (Vec::new(), Vec::new());
        signs_8(&fast_8, &mut signs);
        plain_8.signs(&mut signs_plain);
        assert_eq!(signs, signs_plain);
    }
    assert!(fast_8.of_bits.iter().flatten().any(|belief| *belief == 127), "no end met");
}

#[test]
fn levels_are_the_nearest_whole_numbers() {
    let graph = Graph::new(4, 3, [vec![0, 1, 2, 3]]);
    let mut beliefs = Beliefs::<i8, WORDS_8>::new(&graph);
    let ratios: Vec<f32> = (0..4 * WORDS_8).map(|at| (at as f32 - 128.0) / 8.0).collect();
    begin_8(&mut beliefs, &ratios, 2.0, 31.0);
    for (belief, ratio) in beliefs.of_bits.iter().flatten().zip(&ratios) {
        assert_eq!(f32::from(*belief), (2.0 * ratio).clamp(-31.0, 31.0).round_ties_even(), "{ratio}");
    }
}

#[test]
fn vectors_have_the_digits_of_single_values_all_at_once() {
    let graph = graph("wifi-648-540");
    let by = Damping32 { factor: 0.5, offset: 0.1 };
    let mut fast = Beliefs::<f32, WORDS_32>::new(&graph);
    fast.begin(&ratios(&graph, WORDS_32, 0.6, 5), |ratio| ratio);
    let (channel, mut plain) = (fast.of_bits.clone(), fast.clone());
    let (mut next, mut next_plain) = (channel.clone(), channel.clone());
    let mut heard = vec![[0.0; WORDS_32]; graph.widest()];
    for _ in 0..5 {
        through_all_at_once_32(&graph, &mut fast, &channel, &mut next, &mut heard, by);
        through_all_at_once(&graph, &mut plain, &channel, &mut next_plain, &mut heard, by);
        assert_eq!(bits_of(&fast), bits_of(&plain));
    }
}

fn bits_of(beliefs: &Beliefs<f32, WORDS_32>) -> Vec<u32> {
    beliefs.of_bits.iter().chain(&beliefs.said).flatten().map(|value| value.to_bits()).collect()
}

/// Checks that a codeword decodes to the same bits with the same number of iterations beside other codewords, and at
/// another position of the batch (another lane of the vectors).
#[test]
fn words_do_not_change_each_other() {
    let graph = graph("wifi-648-540");
    for decoder in [
        Box::new(MinSum::new(12, 0.75, 0.0)) as Box<dyn Decoder>,
        Box::new(MinSum8::of_levels(12, 6)),
        Box::new(MinSumFlooding::new(24, 0.75, 0.0)),
    ] {
        let mut decoding = decoder.on(&graph);
        let words = decoding.words();
        let together = ratios(&graph, words, 0.52, 3);
        let first = decoding.decode(&together).clone();
        // Each word moves by three places, beside words of another channel.
        let mut moved = ratios(&graph, words, 0.9, 4);
        for (to, from) in moved.chunks_exact_mut(words).zip(together.chunks_exact(words)) {
            to[3..].copy_from_slice(&from[..words - 3]);
        }
        let second = decoding.decode(&moved);
        let converged = (first.converged << 3 & all(words)) >> 3;
        assert!(converged != 0 && converged != all(words - 3), "words of both kinds: {converged:b}");
        assert_eq!(second.converged >> 3, converged);
        assert_eq!(second.iterations[3..], first.iterations[..words - 3]);
        let bits = |bits: &[u64]| bits.iter().map(|bits| bits & all(words - 3)).collect::<Vec<_>>();
        assert_eq!(bits(&second.bits.iter().map(|bits| bits >> 3).collect::<Vec<_>>()), bits(&first.bits));
    }
}

/// Checks, against values computed by hand, the messages of one check of three bits with ratios of 4, -1 and 2.
#[test]
fn a_check_tells_the_least_of_the_others_with_their_sign() {
    let graph = Arc::new(Graph::new(3, 2, [vec![0, 1, 2]]));
    let mut beliefs = Beliefs::<f32, 1>::new(&graph);
    beliefs.begin(&[4.0, -1.0, 2.0], |ratio| ratio);
    through_all(&graph, &mut beliefs, &mut [[0.0]; 3], Damping32 { factor: 0.75, offset: 0.25 });
    // 1 becomes 0.5, 2 becomes 1.25.
    assert_eq!(
        (beliefs.said.clone(), beliefs.of_bits.clone()),
        (vec![[-0.5], [1.25], [-0.5]], vec![[3.5], [0.25], [1.5]])
    );
    let mut beliefs = Beliefs::<i8, 1>::new(&graph);
    beliefs.begin(&[100.0, -30.0, 60.0], |ratio| ratio as i8);
    through_all(&graph, &mut beliefs, &mut [[0]; 3], Damping8 { eighths: 6, offset: 1, most: 127 });
    // 22.5 is rounded up.
    assert_eq!((beliefs.said, beliefs.of_bits), (vec![[-22], [44], [-22]], vec![[78], [14], [38]]));
}

/// Checks, against values computed by hand, two checks that share the middle of three bits, with ratios of 1, -2 and 4:
/// in a flooding decoder neither sees the other's message of the iteration.
#[test]
fn checks_that_flood_hear_the_beliefs_of_before() {
    let graph = Arc::new(Graph::new(3, 1, [vec![0, 1], vec![1, 2]]));
    let mut beliefs = Beliefs::<f32, 1>::new(&graph);
    beliefs.begin(&[1.0, -2.0, 4.0], |ratio| ratio);
    let (channel, mut next) = (beliefs.of_bits.clone(), vec![[0.0]; 3]);
    let by = Damping32 { factor: 0.5, offset: 0.0 };
    let mut heard = [[0.0]; 2];
    through_all_at_once(&graph, &mut beliefs, &channel, &mut next, &mut heard, by);
    assert_eq!(beliefs.said, [[-1.0], [0.5], [2.0], [-1.0]]);
    assert_eq!(beliefs.of_bits, [[0.0], [0.5], [3.0]]);
    // The middle bit now tells each check the channel's -2 and what the other check said.
    through_all_at_once(&graph, &mut beliefs, &channel, &mut next, &mut heard, by);
    assert_eq!(
        (beliefs.said, beliefs.of_bits),
        (vec![[0.0], [0.5], [2.0], [-0.75]], vec![[1.0], [0.5], [3.25]])
    );
}

#[test]
fn integers_stop_at_their_ends() {
    let graph = Arc::new(Graph::new(2, 1, [vec![0, 1]]));
    let mut beliefs = Beliefs::<i8, 1>::new(&graph);
    beliefs.begin(&[-127.0, -127.0], |ratio| ratio as i8);
    for _ in 0..3 {
        through_all(&graph, &mut beliefs, &mut [[0]; 2], Damping8 { eighths: 8, offset: 0, most: 31 });
        assert_eq!(beliefs.of_bits, [[-127], [-127]]);
    }
}

#[test]
fn a_valid_word_costs_no_iteration_and_the_last_one_counts() {
    let graph = graph("wifi-648-540");
    let mut word = vec![3.0; graph.bits()];
    let decoders = || -> [Box<dyn Decoder>; 4] {
        [
            Box::new(MinSumFlooding::new(1, 0.75, 0.0)),
            Box::new(MinSum::new(1, 0.75, 0.0)),
            Box::new(SumProduct::new(1)),
            Box::new(GradientDescent::new(1, 1.0)),
        ]
    };
    let outcome = |decoder: &dyn Decoder, word: &[f32]| {
        let mut decoding = decoder.on(&graph);
        let words = decoding.words();
        let ratios: Vec<f32> = word.iter().flat_map(|ratio| vec![*ratio; words]).collect();
        let decoded = decoding.decode(&ratios);
        (decoded.iterations[0], decoded.converged & 1 == 1, decoded.bits.iter().any(|bits| bits & 1 == 1))
    };
    for decoder in decoders() {
        assert_eq!(outcome(&*decoder, &word), (0, true, false));
    }
    // A weak wrong bit comes right in the one iteration that there is.
    word[5] = -0.5;
    for decoder in decoders() {
        assert_eq!(outcome(&*decoder, &word), (1, true, false));
    }
    // Two of the same check need more than that.
    for bit in graph.row(7) {
        word[*bit as usize] = -3.0;
    }
    for decoder in decoders() {
        let (iterations, converged, _) = outcome(&*decoder, &word);
        assert_eq!((iterations, converged), (1, false));
    }
}

/// Checks that the sum-product decoder is exact on a graph without cycles, against sums over all codewords.
#[test]
fn sum_product_is_exact_on_a_tree() {
    let graph = Arc::new(Graph::new(7, 4, [vec![0, 1, 2], vec![2, 3, 4], vec![4, 5, 6]]));
    let noise = Stream::new(5);
    let mut uncertain = 0;
    for word in 0..40 {
        let ratios: Vec<f32> = (0..7).map(|bit| (3.0 * noise.of(word).normal(bit)) as f32).collect();
        let mut of_ones = [0.0; 7];
        let mut of_zeros = [0.0; 7];
        for values in (0..128u32).filter(|values| graph.broken(|bit| values >> bit & 1 == 1) == 0) {
            let weight =
                |bit: usize| if values >> bit & 1 == 1 { -0.5 } else { 0.5 } * f64::from(ratios[bit]);
            let likelihood = libm::exp((0..7).map(weight).sum());
            for bit in 0..7 {
                (if values >> bit & 1 == 1 { &mut of_ones } else { &mut of_zeros })[bit] += likelihood;
            }
        }
        let mut decoding = SumProduct::new(6).on(&graph);
        let decoded = decoding.decode(&ratios);
        // A word stops where its checks hold, which may be before all has gone round.
        if decoded.iterations[0] == 6 {
            uncertain += 1;
            let expected: Vec<u64> = (0..7).map(|bit| u64::from(of_ones[bit] > of_zeros[bit])).collect();
            assert_eq!(decoded.bits, expected, "word {word}");
        }
    }
    assert!(uncertain > 0, "all words stopped early");
}

/// Checks that random codewords are decoded without failures. Random codewords and the all-zero codeword fail equally
/// often, except for ties (beliefs of zero), which are decided as zero bits.
#[test]
fn random_words_come_back() {
    let graph = graph("dvb-s2-16200-14400");
    let trial = Trial::random(&graph, Channel::gauss(5.0, 8.0 / 9.0), 4, 6);
    assert!(trial.all_sent().iter().all(|word| graph.broken(|bit| word[bit]) == 0));
    for decoder in [
        Box::new(MinSum::new(20, 0.75, 0.0)) as Box<dyn Decoder>,
        Box::new(MinSum8::default()),
        Box::new(MinSumFlooding::new(40, 0.75, 0.0)),
        Box::new(SumProduct::new(20)),
    ] {
        let count = trial.count(&*decoder, 0..64);
        assert_eq!((count.words, count.failures), (64, 0));
        assert!(count.iterations > 64, "{count:?}");
    }
}

#[test]
fn flips_are_found_by_gradient_descent() {
    let graph = graph("nand-4k-889");
    let trial = Trial::zeros(&graph, Channel::Flips { rate: 2e-3 }, 7);
    let count = trial.count(&GradientDescent::default(), 0..16);
    assert_eq!((count.failures, count.words), (0, 16));
}

#[test]
fn parameters_out_of_range_are_refused_in_one_line() {
    for (text, expected) in [
        ("name = \"min-sun\"", "did you mean \"min-sum\" or \"min-sum-flooding\"?"),
        ("name = \"min-sum\"\nfactor = 1.5", "factor = 1.5"),
        ("name = \"min-sum-8\"\neighths = 9", "eighths = 9"),
        ("name = \"min-sum-flooding\"\noffset = -1", "offset = -1"),
        ("name = \"sum-product\"\nfactor = 0.5", "factor"),
        ("name = \"gradient-descent\"\nprobability = 0", "probability = 0"),
    ] {
        let document = config::Document::parse("d.toml", text).expect("TOML");
        let mut root = config::Section::root(&document);
        let error = read(&mut root).map(|_| ()).and_then(|()| root.finish()).expect_err(text).to_string();
        assert!(
            error.contains(expected) && error.starts_with("d.toml:") && error.lines().count() == 1,
            "{error}"
        );
    }
    assert_eq!(catalogue().len(), 5);
}
