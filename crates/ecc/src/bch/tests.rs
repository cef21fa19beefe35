use super::*;
use crate::tail;
use engine::RandomStream;

fn word(code: &Code, random: &mut RandomStream) -> Vec<bool> {
    let data: Vec<bool> = (0..code.data_bits).map(|_| random.bits() >> 63 == 1).collect();
    code.encode(&data)
}

/// Inverts `errors` random bits of a codeword, for the tests, and returns their indices, rising.
fn spoil(word: &mut [bool], errors: usize, random: &mut RandomStream) -> Vec<usize> {
    let mut places = Vec::new();
    while places.len() < errors {
        let place = random.below(word.len() as u64) as usize;
        if !places.contains(&place) {
            word[place] ^= true;
            places.push(place);
        }
    }
    places.sort_unstable();
    places
}

#[test]
fn the_code_of_the_textbook_has_its_generator() {
    // Lin and Costello, example 6.1: (15, 7), t = 2: 1 + x^4 + x^6 + x^7 + x^8.
    let code = Code::new(7, 2).expect("a code");
    let powers: Vec<usize> = (0..9).filter(|at| code.generator[*at]).collect();
    assert_eq!((code.bits(), powers), (15, vec![0, 4, 6, 7, 8]));
}

#[test]
fn parity_is_m_bits_for_each_error() {
    for (data, t, parity) in [(512, 4, 13 * 4), (512, 8, 13 * 8), (1024, 40, 14 * 40), (2048, 80, 15 * 80)] {
        assert_eq!(Code::new(8 * data, t).expect("a code").parity_bits(), parity, "{data} B, t = {t}");
    }
}

#[test]
fn up_to_t_errors_come_right_wherever_they_are() {
    let mut random = RandomStream::new(1, "bch");
    for (data, t) in [(7, 2), (64, 3), (4096, 8), (8192, 40)] {
        let code = Code::new(data, t).expect("a code");
        for errors in [0, 1, t / 2, t - 1, t, t] {
            let sent = word(&code, &mut random);
            let mut read = sent.clone();
            let turned = spoil(&mut read, errors, &mut random);
            assert_eq!(code.decode(&mut read), Outcome::Corrected(turned), "{data} bits, {errors} of {t}");
            assert_eq!(read, sent);
        }
    }
}

/// Checks every pattern of up to three errors of a short BCH code that corrects two: one and two errors are corrected,
/// three are never taken for none.
#[test]
fn all_patterns_of_a_short_code() {
    let code = Code::new(7, 2).expect("a code");
    for turned in 0u32..1 << 15 {
        let mut read: Vec<bool> = (0..15).map(|bit| turned >> bit & 1 == 1).collect();
        let outcome = code.decode(&mut read);
        match turned.count_ones() {
            0..=2 => assert!(read.iter().all(|bit| !bit), "{turned:b}"),
            3 => assert!(outcome == Outcome::Lost || read.iter().any(|bit| *bit), "{turned:b}"),
            _ => {}
        }
    }
}

/// Checks the fraction of codewords with random errors that are not corrected against the closed form, the binomial
/// tail beyond t: with more than t errors, every codeword is detected as uncorrectable or miscorrected.
#[test]
fn failures_are_those_of_the_closed_form() {
    let (t, rate, words) = (8, 1.5e-3, 2000u32);
    let code = Code::new(4096, t).expect("a code");
    let mut random = RandomStream::new(2, "bch");
    let sent = word(&code, &mut random);
    let mut failed = 0u32;
    for _ in 0..words {
        let mut read: Vec<bool> = sent.iter().map(|bit| bit ^ random.chance(rate)).collect();
        code.decode(&mut read);
        failed += u32::from(read != sent);
    }
    let expected = tail::more_than(code.bits() as u32, t as u32, rate) * f64::from(words);
    // Four deviations: once in 16,000 codes.
    let deviation = (expected * (1.0 - expected / f64::from(words))).sqrt();
    assert!(
        (f64::from(failed) - expected).abs() < 4.0 * deviation,
        "{failed} of {words}, expected {expected:.1}"
    );
    assert!(failed > 100, "{failed}");
}
