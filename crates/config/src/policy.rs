//! The catalogue of policies: one line of registration gives the module, the constructor by name, the
//! listing, the parameters' schema and the place in the conformance battery.

use crate::{ConfigError, Document, Entry, Key, Section, survey};

/// Set of texts by which a policy describes itself in listings: its name, rule and source, and the aspects that it does
/// not model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// Name of the policy in configuration files.
    pub name: &'static str,
    /// Field of a policy's description: rule by which the policy decides, in a sentence.
    pub rule: &'static str,
    /// Paper or other source that the policy is taken from.
    pub paper: &'static str,
    /// Field of a policy's description: text with the features of a real implementation that the policy does not model.
    pub not_modelled: &'static str,
}

/// Interface of a policy, the replaceable answer to one decision of the simulated drive: its description, and its
/// parameters as read from its section of the configuration.
pub trait Policy: Sized {
    /// Constant: the texts by which the policy describes itself in listings, such as name, rule and source.
    const CARD: Card;

    /// Reads the parameters of the policy from its section of the configuration; the section's key `name` has been read
    /// already, and the caller checks for unknown keys.
    ///
    /// # Errors
    /// When a parameter is of the wrong type or outside its range.
    fn read(section: &mut Section) -> Result<Self, ConfigError>;
}

/// Record of an entry of one policy in the listing of all policies: the decision that it makes, its description and its
/// parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyEntry {
    /// Key path of the decision that the policy makes, such as `ftl.gc.victim` (its seam).
    pub seam: &'static str,
    /// Question that the policy answers, such as which block to collect next.
    pub question: &'static str,
    /// True if the policy is in force where the configuration names none.
    pub default: bool,
    /// Field of a policy's entry: texts by which the policy describes itself: name, rule, source, features not
    /// modelled.
    pub card: Card,
    /// List of the parameters of the policy with their defaults, in reading order, up to the first parameter without a
    /// default.
    pub parameters: Vec<Entry>,
    /// List of all parameters of the policy, including parameters without a default, each with the conditions under
    /// which it is read.
    pub keys: Vec<Key>,
}

/// Returns the parameters that the function `read` of a policy asks for, each with the conditions under which it is
/// read.
pub fn parameters<T>(read: impl Fn(&mut Section) -> Result<T, ConfigError>) -> Vec<Key> {
    survey(&Document::empty(), read)
}

/// Macro that declares all policies that answer one question, one module each, with their reader and their catalogue.
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

        /// Type of the function that makes a new instance of the chosen policy with its parameters, as often as one is
        /// needed.
        pub type Maker = Box<dyn Fn() -> Box<dyn $interface> + Send + Sync>;

        /// Reads from `section` the name of the policy (`name`) and this policy's parameters, and returns a function
        /// that makes instances of the policy.
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

        /// Returns the list of all policies that answer this question, each with its parameters.
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
