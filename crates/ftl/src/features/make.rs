//! How features come about: from the keys of a drive's file, before the drive is built and after its power was cut.

use super::{CorrectionParts, Features, features};
use crate::agenda::Costs;
use crate::core::Core;
use crate::flash_map::MapOnFlash;
use crate::saved::Untaken;
use crate::{Layout, SavedState};
use config::{ConfigError, Section};
use controller::Controller;
use ecc::Ladder;
use nand::FlashArray;
use units::{Bytes, Nanos};

/// Set of the drive's parts and settings from which a feature of the FTL is made.
pub(crate) struct Making<'a> {
    pub layout: &'a Layout,
    pub array: &'a FlashArray,
    /// Number of superblocks of each die that all features together (such as an SLC cache) set apart for themselves
    /// from the superblocks shared by all data.
    pub apart: u32,
    /// True if the drive reclaims superblocks of several dies together, as parity groups: a group is relocated and
    /// erased as a whole.
    pub in_step: bool,
    pub controller: &'a mut Controller,
    /// Field of the parts from which features are made: parts for read correction (error-correcting code, error model,
    /// sizes); `None` once a feature has taken them.
    pub correction: Option<CorrectionParts>,
    /// Description of the drive's map where it lies on flash, wholly or as checkpoints, for the feature that stores the
    /// map on flash; `None` where the map is in RAM alone.
    pub map: Option<MapOnFlash>,
    /// Setting of the drive: age at which data must be refreshed (rewritten) at the latest; zero: the drive file sets
    /// no such age.
    pub refresh_age: Nanos,
    /// Setting: seed of all random streams of the drive.
    pub seed: u64,
    /// Number of write buffer slots of the drive, including the slots that are reserved for features.
    pub slots: u32,
    /// Flag passed to the features: true if the run cuts the power at least once.
    pub has_power_cuts: bool,
    /// Setting of the drive, passed to the features: greatest number of bytes of host data that may be in flight to
    /// flash; `None`: no limit.
    pub in_flight_most: Option<Bytes>,
}

/// Trait of a feature of the FTL that has settings in the drive file.
pub trait Said {
    /// Type of the settings that the feature of the FTL reads from a drive file.
    type Settings;
}

/// Trait of a feature of the FTL as the drive makes it: read from the drive file, built, restored after a power cut,
/// and saved.
pub(crate) trait Made: Said + Sized {
    /// Parses the feature's keys in section `[ftl]`, and records in the drive's layout the space that the feature
    /// needs, for settings that are parsed later.
    ///
    /// # Errors
    /// When a value is wrong.
    fn read(ftl: &mut Section, layout: &mut Layout) -> Result<Self::Settings, ConfigError>;

    /// Returns the number of logical units, numbered after those of the host and of the map, that the feature reserves
    /// for itself.
    fn units_of_its_own(_: &Self::Settings, _: &Layout) -> u32 {
        0
    }

    /// Returns true if the feature requires that superblocks of several dies are relocated and erased together (as
    /// parity does).
    fn works_in_step(_: &Self::Settings) -> bool {
        false
    }

    /// Returns the number of superblocks of each die that the feature sets apart from the superblocks shared by all
    /// data.
    fn apart(_: &Self::Settings, _: &Layout) -> u32 {
        0
    }

    /// Returns the retention time, in nanoseconds: how long data must stay correctable; `None` if the feature sets
    /// none.
    fn retention(_: &Self::Settings) -> Option<Nanos> {
        None
    }

    /// Returns the number of write buffer slots that are reserved for the feature.
    fn slots(_: &Self::Settings, _: &Layout) -> u32 {
        0
    }

    /// Returns the greatest number of bytes of memory that the simulator's state of the feature can take; `code` is the
    /// error-correcting code with its read ladder (sequence of hard and soft reads).
    fn bytes_most(settings: &Self::Settings, layout: &Layout, code: Option<&Ladder>) -> u64;

    /// Returns the periodic work that the feature has on each die, once the drive is full, with its interval and
    /// duration; `None` without such work.
    fn chore(_: &Self::Settings, _: &Layout, _: &Costs) -> Option<Chore> {
        None
    }

    /// Makes the feature for a fresh drive; `None` if the settings do not ask for it.
    ///
    /// # Errors
    /// When the drive lacks a property that the feature needs; the text of the error names it.
    fn new(settings: &Self::Settings, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String>;

    /// Restores, after a power cut, the part of the feature's former state `before` that survived.
    fn take_back(&mut self, before: Self);

    /// Adds the state of the feature, or a note that the drive does not have it, to a saved state.
    fn save(_: Option<&Self>, _: &Core, _: &mut SavedState) {}

    /// Restores the state of the feature from a saved state.
    ///
    /// # Errors
    /// When the saved state contradicts itself, or does not fit the drive.
    fn load(_: Option<&mut Self>, _: &mut Core, _: &mut Untaken<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// Record of periodic work that a feature has on each die, such as the checkpoint of the map that each snapshot takes.
pub(crate) struct Chore {
    pub key: &'static str,
    pub ns: u64,
    pub within: Nanos,
    pub what: String,
}

macro_rules! make {
    ([$($name:ident: $type:ty,)*]) => {
        /// Set of settings of all features of the FTL (parity, SLC cache, snapshots and so on), as parsed from section
        /// `[ftl]` of a drive file.
        pub struct Settings {
            $($name: <$type as Said>::Settings,)*
        }

        impl Settings {
            /// Parses the keys of all features in section `[ftl]` of a drive file.
            ///
            /// # Errors
            /// When a value is wrong.
            pub(crate) fn read(ftl: &mut Section, layout: &mut Layout) -> Result<Self, ConfigError> {
                Ok(Self { $($name: <$type as Made>::read(ftl, layout)?,)* })
            }

            /// Returns the number of logical units, numbered after those of the host and of the map, that the features
            /// reserve for themselves.
            pub(crate) fn units_of_their_own(&self, layout: &Layout) -> u32 {
                0 $(+ <$type as Made>::units_of_its_own(&self.$name, layout))*
            }

            /// Returns true if any of the drive's features requires that superblocks of several dies are relocated and
            /// erased together (as parity does).
            pub(crate) fn work_in_step(&self) -> bool {
                false $(|| <$type as Made>::works_in_step(&self.$name))*
            }

            /// Returns the number of superblocks of each die that the features set apart from the superblocks shared by
            /// all data.
            pub(crate) fn apart(&self, layout: &Layout) -> u32 {
                0 $(+ <$type as Made>::apart(&self.$name, layout))*
            }

            /// Returns the retention time that the features' settings give: how long data must stay correctable; the
            /// longest possible time if none gives one.
            pub(crate) fn retention(&self) -> Nanos {
                None$(.or_else(|| <$type as Made>::retention(&self.$name)))*.unwrap_or(Nanos::new(u64::MAX))
            }

            /// Returns the number of write buffer slots that are reserved for the features.
            pub(crate) fn slots(&self, layout: &Layout) -> u32 {
                0 $(+ <$type as Made>::slots(&self.$name, layout))*
            }

            /// Returns the periodic work that the features have on each die, such as the checkpoint of the map that
            /// each snapshot takes.
            pub(crate) fn chores(&self, layout: &Layout, costs: &Costs) -> impl Iterator<Item = Chore> {
                [$(<$type as Made>::chore(&self.$name, layout, costs)),*].into_iter().flatten()
            }

            /// Returns the greatest number of bytes of memory that the simulator's state of all features can take.
            pub(crate) fn bytes_most(&self, layout: &Layout, code: Option<&Ladder>) -> u64 {
                0 $(+ <$type as Made>::bytes_most(&self.$name, layout, code))*
            }
        }

        impl Features {
            /// Makes the features of a fresh drive that the settings ask for.
            ///
            /// # Errors
            /// When the drive lacks a property that one of the features needs; the text of the error names it.
            pub(crate) fn new(settings: &Settings, making: &mut Making<'_>) -> Result<Self, String> {
                let mut features = Self {
                    active: false,
                    $($name: <$type as Made>::new(&settings.$name, making)?,)*
                };
                features.active = false $(|| features.$name.is_some())*;
                Ok(features)
            }

            /// Adds the state of each feature, or a note that the drive does not have it, to a saved state.
            pub(crate) fn save(&self, core: &Core, saved: &mut SavedState) {
                $(<$type as Made>::save(self.$name.as_deref(), core, saved);)*
            }

            /// Restores the state of all features from a saved state.
            ///
            /// # Errors
            /// When the saved state contradicts itself, or does not fit the drive.
            pub(crate) fn load(
                &mut self,
                core: &mut Core,
                saved: &mut Untaken<'_>,
            ) -> Result<(), String> {
                $(<$type as Made>::load(self.$name.as_deref_mut(), core, saved)?;)*
                Ok(())
            }

            /// Restores, after a power cut, the part of each feature's former state `before` that survived.
            pub(crate) fn take_back(&mut self, before: Self) {
                $(if let (Some(feature), Some(before)) = (&mut self.$name, before.$name) {
                    feature.take_back(*before);
                })*
            }
        }
    };
}

macro_rules! listed {
    ([$($name:ident: $type:ty,)*]) => {
        /// Trait of every feature type in the list of features; results use it to find a feature, and its settings, by
        /// type.
        pub trait Listed: Said {
            /// Returns the drive's feature of this type; `None` if the drive does not have the feature.
            #[doc(hidden)]
            fn of(features: &Features) -> Option<&Self>;

            /// Returns the settings of the feature of this type out of the settings of all features.
            #[doc(hidden)]
            fn said(settings: &Settings) -> &Self::Settings;
        }

        $(impl Listed for $type {
            fn of(features: &Features) -> Option<&Self> {
                features.$name.as_deref()
            }

            fn said(settings: &Settings) -> &Self::Settings {
                &settings.$name
            }
        })*
    };
}

features! { make }
features! { listed }
