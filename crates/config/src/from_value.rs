//! The types that values are read as.

use crate::value::{Place, Value, ValueNode};
use units::{
    Bytes, Capacitance, Current, Energy, Femtos, Frequency, Nanos, Potential, Power, Quantity, TransferRate,
    Voltage,
};

/// Interface of the types as which a configuration value can be read, such as a whole number or a time.
pub trait FromValue: Sized {
    /// Constant: words that describe a valid value of this type, for messages.
    const EXPECTED: &'static str;

    /// Converts a configuration value to this type; the error text gives the fault in the value, if [`Self::EXPECTED`]
    /// does not say enough.
    ///
    /// # Errors
    /// When the value is of another type, lacks its unit or lies outside the type's range.
    fn from_value(value: &Value) -> Result<Self, String>;

    /// Converts this value back to a configuration value, as [`Self::from_value`] takes it: a time, for instance, to a
    /// text with its unit.
    fn to_value(&self) -> Value;

    /// Returns the name of the kind of value, such as `time` or `whole number`.
    fn kind() -> String;

    /// Returns the units in which the value may be written; empty where the kind of value has none.
    fn units() -> &'static str {
        ""
    }

    /// Returns the numbers in the value that limits apply to: one for a number, one for each item of a list; empty
    /// where the value is no number.
    fn magnitudes(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Returns true if the value is a list without items.
    fn is_empty_list(&self) -> bool {
        false
    }

    /// Makes an example value of this type, near `magnitude` if it is a number without a unit, for a survey: a trial
    /// reading of the configuration that finds out which keys a program would read.
    fn example(magnitude: f64) -> Self;

    /// Returns, for a switch (true or false), the opposite value, with which other configuration keys may be read in a
    /// survey (trial readings); an empty list for other kinds of value.
    fn others(&self) -> Vec<Self> {
        Vec::new()
    }
}

macro_rules! whole_number {
    ($($type:ty: $expected:literal),*) => {$(
        impl FromValue for $type {
            const EXPECTED: &'static str = $expected;

            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Integer(number) => {
                        Self::try_from(*number).map_err(|_| "outside the range".to_owned())
                    }
                    _ => Err(String::new()),
                }
            }

            fn to_value(&self) -> Value {
                i64::try_from(*self).map_or_else(|_| Value::Text(self.to_string()), Value::Integer)
            }

            fn kind() -> String {
                "whole number".into()
            }

            fn magnitudes(&self) -> Vec<f64> {
                vec![*self as f64]
            }

            fn example(magnitude: f64) -> Self {
                magnitude as Self
            }
        }
    )*};
}

whole_number!(
    u16: "a whole number from 0 to 65535",
    u32: "a whole number from 0 to 4294967295",
    u64: "a whole number of at least 0"
);

impl FromValue for f64 {
    const EXPECTED: &'static str = "a number";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Float(number) if number.is_finite() => Ok(*number),
            Value::Integer(number) => Ok(*number as Self),
            _ => Err(String::new()),
        }
    }

    fn to_value(&self) -> Value {
        Value::Float(*self)
    }

    fn kind() -> String {
        "number".into()
    }

    fn magnitudes(&self) -> Vec<f64> {
        vec![*self]
    }

    fn example(magnitude: f64) -> Self {
        magnitude
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Boolean(truth) => Ok(*truth),
            _ => Err(String::new()),
        }
    }

    fn to_value(&self) -> Value {
        Value::Boolean(*self)
    }

    fn kind() -> String {
        "switch".into()
    }

    fn example(_: f64) -> Self {
        true
    }

    fn others(&self) -> Vec<Self> {
        vec![!self]
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "a text in quotes";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(Self::new()),
        }
    }

    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }

    fn kind() -> String {
        "text".into()
    }

    fn example(_: f64) -> Self {
        "some".into()
    }
}

/// Returns the part between the texts `from` and `to` of the description `expected` of a quantity (`a time with its
/// unit, such as "25us" (ns, us, ...)`), which gives its kind, units or example.
fn part(expected: &'static str, from: &str, to: &str) -> &'static str {
    let rest = expected.split_once(from).map_or(expected, |(_, rest)| rest);
    rest.split_once(to).map_or(rest, |(part, _)| part)
}

macro_rules! quantity {
    ($($type:ty: $of:expr),*) => {$(
        impl FromValue for $type {
            const EXPECTED: &'static str = <Self as Quantity>::EXPECTED;

            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Text(text) => Self::parse(text).map_err(|error| error.0),
                    Value::Integer(_) | Value::Float(_) => Err("the unit is missing".to_owned()),
                    _ => Err(String::new()),
                }
            }

            fn to_value(&self) -> Value {
                Value::Text(self.to_string())
            }

            fn kind() -> String {
                part(<Self as Quantity>::EXPECTED, " ", " with ").to_owned()
            }

            fn units() -> &'static str {
                part(<Self as Quantity>::EXPECTED, "(", ")")
            }

            fn magnitudes(&self) -> Vec<f64> {
                let magnitude: fn(&$type) -> f64 = $of;
                vec![magnitude(self)]
            }

            fn example(_: f64) -> Self {
                Self::parse(part(<Self as Quantity>::EXPECTED, "\"", "\"")).expect("the example in its own description")
            }
        }
    )*};
}

quantity!(
    Nanos: |time| time.ns() as f64,
    Bytes: |size| size.get() as f64,
    TransferRate: |rate| rate.bytes_per_s() as f64,
    Femtos: |time| time.get() as f64,
    Frequency: |frequency| frequency.get() as f64,
    Power: |power| power.get() as f64,
    Current: |current| current.get() as f64,
    Voltage: |voltage| voltage.get() as f64,
    Capacitance: |capacitance| capacitance.get() as f64,
    Energy: |energy| energy.get() as f64,
    Potential: |potential| potential.volts()
);

impl<T: FromValue> FromValue for Vec<T> {
    const EXPECTED: &'static str = "one value or a list of values";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(items) => items
                .iter()
                .map(|item| T::from_value(&item.value).map_err(|why| format!("each {}; {why}", T::EXPECTED)))
                .collect(),
            // One value stands for a list of one: `t_r = "25us"` where a TLC part writes three.
            single => T::from_value(single)
                .map(|item| vec![item])
                .map_err(|why| format!("{}{}{why}", T::EXPECTED, if why.is_empty() { "" } else { "; " })),
        }
    }

    fn to_value(&self) -> Value {
        let node = |item: &T| ValueNode { value: item.to_value(), place: Place::Default, source: None };
        match self.as_slice() {
            [single] => single.to_value(),
            items => Value::List(items.iter().map(node).collect()),
        }
    }

    fn kind() -> String {
        format!("one {0} or a list of {0}s", T::kind())
    }

    fn units() -> &'static str {
        T::units()
    }

    fn magnitudes(&self) -> Vec<f64> {
        self.iter().flat_map(T::magnitudes).collect()
    }

    fn is_empty_list(&self) -> bool {
        self.is_empty()
    }

    fn example(magnitude: f64) -> Self {
        vec![T::example(magnitude)]
    }
}
