use super::*;

/// Returns the text of a small table file with one number of soft bits, for the tests.
fn small() -> String {
    "code = \"c\"\nbits = 1000\ndata_bits = 800\nedges = 3000\nchannel = \"flips\"\nplacement = \"information\"\n\
     decoder = [\"name=min-sum-8\"]\nseed = 1\ncommand = \"floatgate ecc measure c\"\n\
     [soft_1]\nlaw = [20.0, 5.0]\nfloor_most = 1e-3\nrates = [0.022, 0.02, 0.018, 0.001]\nwords = [100, 200, 1000, 64]\n\
     failures = [70, 100, 300, 0]\nundetected = [0, 0, 0, 0]\n\
     iterations = [\"0 30 70\", \"0 100 100\", \"0 700 300\", \"32 32\"]\n\
     zero = [\"\", \"\", \"\", \"\"]\none = [\"\", \"\", \"\", \"\"]\nratios = [\"\", \"\", \"\", \"\"]\n"
        .to_owned()
}

fn refused(text: &str) -> String {
    Table::parse("t.toml", text).expect_err("a wrong table").to_string()
}

#[test]
fn a_curve_goes_through_what_was_counted_and_on_by_the_law() {
    let table = Table::parse("t.toml", &small()).expect("a table");
    let curve = &table.curves[0];
    // A point with less than forty words that failed, or did not, would not bend the law.
    for (rate, failure) in [(0.02, 0.5), (0.018, 0.3)] {
        assert!((curve.failure(rate) / failure - 1.0).abs() < 1e-6, "{rate}: {}", curve.failure(rate));
    }
    let between = curve.failure(0.019);
    assert!(between > 0.3 && between < 0.5, "{between}");
    // Below, rates fall as the law does, and are never nothing.
    let (near, far) = (curve.failure(0.012), curve.failure(0.002));
    assert!(near > far && far > 0.0, "{near:e} {far:e}");
    assert!((curve.rate(near) / 0.012 - 1.0).abs() < 1e-6);
    for (rate, iterations) in [(0.02, 1.5), (0.018, 1.3), (0.019, 1.4), (0.001, 0.5), (0.0, 0.0), (0.1, 1.7)]
    {
        assert!((curve.iterations(rate) - iterations).abs() < 1e-9, "{rate}: {}", curve.iterations(rate));
    }
    assert_eq!((curve.most(), curve.words()), (2, 1364));
    let said = table.provenance().concat();
    assert!(said.contains("c, min-sum-8, 1 soft bit: 1364 words") && said.contains("extrapolated"), "{said}");
}

/// Checks that a code's table of counted failures accepts, beside its own points, a point that was counted elsewhere
/// (on other hardware) with only the sum of the codewords' iterations known.
#[test]
fn what_was_counted_elsewhere_stands_beside_the_points() {
    let text = small().replace("zero =", "elsewhere = [\"0.016 100000 5000 0 130000\"]\nzero =");
    let table = Table::parse("t.toml", &text).expect("a table");
    let curve = &table.curves[0];
    assert_eq!((curve.words(), curve.words_elsewhere(), curve.most()), (101_364, 100_000, 2));
    assert!((curve.failure(0.016) / 0.05 - 1.0).abs() < 0.01, "{}", curve.failure(0.016));
    assert!((curve.iterations(0.016) - 1.3).abs() < 1e-9);
    assert!((curve.last().rate - 0.016).abs() < 1e-12);
    let said = table.provenance().concat();
    assert!(said.contains("101364 words counted (100000 of them on a GPU)"), "{said}");
    assert!(
        table.extrapolated(0).contains("below 5.0e-2 of words are extrapolated"),
        "{}",
        table.extrapolated(0)
    );
    for wrong in ["0.016 100 500 0 9", "0.016 0 0 0 0", "0.6 9 1 0 9", "0.016 9 1 0", "0.016 9 1 0 x"] {
        let error = refused(&text.replace("0.016 100000 5000 0 130000", wrong));
        assert!(error.contains("elsewhere") && error.contains("expected a rate and four counts"), "{error}");
    }
}

#[test]
fn a_wrong_table_is_refused_in_one_line() {
    let wrong = [
        ("rates = [0.022, 0.02", "rates = [0.01, 0.02", "expected falling rates"),
        (
            "words = [100, 200, 1000, 64]",
            "words = [100, 200]",
            "expected 4 values, one for each of the rates, not 2",
        ),
        ("\"0 30 70\"", "\"0 30 71\"", "expected counts that sum up to 100 words"),
        ("law = [20.0, 5.0]", "law = [20.0]", "expected a threshold and a variance"),
        ("failures = [70, 100, 300, 0]", "failures = [7, 1, 3, 0]", "expected two points with failures"),
        ("data_bits = 800", "data_bits = 1000", "less than the 1000 bits of a word"),
        ("seed = 1", "seed = -1", "at least 0"),
        ("edges = 3000", "edges = 3000\nedge = 1", "edge"),
        ("[soft_1]", "[soft_2]", "soft_1"),
    ];
    for (from, to, expected) in wrong {
        let text = small();
        assert!(text.contains(from), "{from}");
        let error = refused(&text.replace(from, to));
        assert!(error.contains(expected) && error.starts_with("t.toml") && !error.contains('\n'), "{error}");
    }
}

/// Checks the shipped tables: each code has its file's shape, curves fit the counts, and no curve rises as errors fall.
#[test]
fn tables_that_come_along_are_of_their_codes() {
    for (name, _) in shipped() {
        let table = named(name).expect("a table");
        let graph = crate::ldpc::named(&table.code).expect("its code").graph;
        assert_eq!((graph.bits(), graph.data_bits(), graph.edges()), {
            (table.bits as usize, table.data_bits as usize, table.edges as usize)
        });
        assert_eq!(table.curves.len(), SOFT_BITS_MOST as usize, "{name}");
        let limits: Vec<f64> = table.curves.iter().map(|curve| curve.rate(1e-11)).collect();
        assert!(
            limits.is_sorted_by(|less, more| less < more),
            "{name}: more soft bits correct more: {limits:?}"
        );
        for curve in &table.curves {
            let rates = (1..400).map(|step| f64::from(step) * 1e-4);
            let chances: Vec<f64> = rates.clone().map(|rate| curve.failure(rate)).collect();
            assert!(
                chances.is_sorted() && chances.iter().all(|chance| *chance <= 1.0),
                "{name}: {chances:?}"
            );
            let iterations: Vec<f64> = rates.map(|rate| curve.iterations(rate)).collect();
            // Counts of words: they may fall by chance, by no more than a tenth.
            assert!(iterations.windows(2).all(|pair| pair[1] > 0.9 * pair[0]), "{name}: {iterations:?}");
            // Three numbers of the parabola are fitted to the points: what is left of them is chance.
            let residues = curve.residues();
            let (sum, free) =
                (residues.iter().map(|each| each * each).sum::<f64>(), residues.len() as f64 - 3.0);
            assert!(sum < free + 4.0 * (2.0 * free).sqrt(), "{name}: {sum} of {free}: {residues:?}");
        }
    }
}

/// Checks that shipped tables were counted with the default parameters of their decoder, so that a drive decodes as its
/// table was counted.
#[test]
fn tables_that_come_along_were_counted_by_the_usual_decoder() {
    for (name, _) in shipped() {
        let table = named(name).expect("a table");
        let mut document = config::Document::empty();
        document
            .set(&format!("decoder.{}", table.decoder[0].replacen('=', "=\"", 1) + "\""))
            .expect("a name");
        let mut root = config::Section::root(&document);
        let mut section = root.child("decoder").expect("a section");
        let _maker = crate::decoder::read(&mut section).expect("a decoder");
        section.finish().expect("every key is read");
        let texts = root.entries().into_iter().map(|entry| {
            format!(
                "{}={}",
                entry.key.trim_start_matches("decoder."),
                entry.value.to_string().replace('"', "")
            )
        });
        assert_eq!(texts.collect::<Vec<_>>(), table.decoder, "{name}");
    }
}
