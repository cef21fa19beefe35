//! The catalogue of policies: one line of registration gives the module, the constructor by name, the
//! listing, the parameters' schema and the place in the conformance battery.

use crate::{ConfigError, Document, Entry, Key, Section, survey};

/// Description that a policy gives of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// Name of the policy in configuration files.
    pub name: &'static str,
    /// Rule of the policy, in a sentence.
    pub rule: &'static str,
    /// Paper or other source of the policy.
    pub paper: &'static str,
    /// Aspects that the policy does not model.
    pub not_modelled: &'static str,
}

/// A policy: a card, and parameters read from its section.
pub trait Policy: Sized {
    /// Description of the policy.
    const CARD: Card;

    /// Reads the parameters; the section's `name` has been read already, `finish` is called by the registry.
    ///
    /// # Errors
    /// When a parameter is of the wrong type or outside its range.
    fn read(section: &mut Section) -> Result<Self, ConfigError>;
}

/// A policy in the listing of all policies.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyEntry {
    /// The key path of the seam: `ftl.gc.victim`.
    pub seam: &'static str,
    /// Question that the seam of the policy answers.
    pub question: &'static str,
    /// True for the policy in force when none is named.
    pub default: bool,
    /// Card that describes the policy.
    pub card: Card,
    /// Parameters of the policy, with their defaults.
    pub parameters: Vec<Entry>,
    /// All parameters of the policy, including parameters without a default.
    pub keys: Vec<Key>,
}

/// Returns the parameters that a policy asks for.
pub fn parameters<T>(read: impl Fn(&mut Section) -> Result<T, ConfigError>) -> Vec<Key> {
    survey(&Document::empty(), read)
}

/// Declares the answers to one question.
///
/// ```text
/// policies! {
///     seam: "ftl.gc.victim", question: "Which block next?", default: "greedy", dyn VictimPolicy;
///     fifo::Fifo,
///     greedy::Greedy,
/// }
/// ```
/// gives `mod fifo; mod greedy;`, `read(&mut Section) -> Result<Maker, _>` and `catalogue()`.
#[macro_export]
macro_rules! policies {
    (
        seam: $seam:literal, question: $question:literal, default: $default:literal, dyn $interface:ident;
        $($module:ident :: $policy:ident),+ $(,)?
    ) => {
        $(
            mod $module;
            pub use $module::$policy;
        )+

        /// Makes a fresh instance of the policy that was read, as often as one is needed.
        pub type Maker = Box<dyn Fn() -> Box<dyn $interface> + Send + Sync>;

        /// Reads `name` and that policy's parameters.
        ///
        /// # Errors
        /// When the name or a parameter is unknown or wrong.
        pub fn read(section: &mut $crate::Section) -> Result<Maker, $crate::ConfigError> {
            if let Some(maker) = section.brought($seam, $question)? {
                return Ok(maker);
            }
            let names = [$(<$policy as $crate::Policy>::CARD.name),+];
            let name = section.policy($seam, &names, $default, $question)?;
            $(
                if name == <$policy as $crate::Policy>::CARD.name {
                    let policy = <$policy as $crate::Policy>::read(section)?;
                    return Ok(Box::new(move || Box::new(policy.clone())));
                }
            )+
            unreachable!("choice() returns one of the names")
        }

        /// Returns every policy of this seam, with its parameters.
        pub fn catalogue() -> Vec<$crate::PolicyEntry> {
            vec![$(
                $crate::PolicyEntry {
                    seam: $seam,
                    question: $question,
                    default: <$policy as $crate::Policy>::CARD.name == $default,
                    card: <$policy as $crate::Policy>::CARD,
                    parameters: $crate::describe(<$policy as $crate::Policy>::read),
                    keys: $crate::parameters(<$policy as $crate::Policy>::read),
                }
            ),+]
        }
    };
}
