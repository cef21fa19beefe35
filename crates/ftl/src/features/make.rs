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

/// What a feature is built for, and from.
pub(crate) struct Making<'a> {
    pub layout: &'a Layout,
    pub array: &'a FlashArray,
    /// Superblocks of each die that are set apart from the superblocks shared by all data.
    pub apart: u32,
    /// True if the drive reclaims superblocks of several dies together.
    pub in_step: bool,
    pub controller: &'a mut Controller,
    /// Code, error model and the conditions that reads are planned for, until a feature takes them.
    pub correction: Option<CorrectionParts>,
    /// Where the map lies on flash, in whole or as checkpoints.
    pub map: Option<MapOnFlash>,
    /// Age at which data are rewritten; zero: never.
    pub refresh_age: Nanos,
    /// Seed of all random streams.
    pub seed: u64,
    /// Slots of the buffer, with the slots that features keep for themselves.
    pub slots: u32,
    /// True if the run cuts the power at least once.
    pub has_power_cuts: bool,
    /// The most bytes that may be in flight to the flash.
    pub in_flight_most: Option<Bytes>,
}

/// The settings of a feature.
pub trait Said {
    /// The settings that the feature reads from a drive file.
    type Settings;
}

/// How a feature is made.
pub(crate) trait Made: Said + Sized {
    /// Reads the feature's keys in `[ftl]`, and reserves room in `layout` that settings read later must know of.
    ///
    /// # Errors
    /// When a value is wrong.
    fn read(ftl: &mut Section, layout: &mut Layout) -> Result<Self::Settings, ConfigError>;

    /// Returns the number of logical units, behind those of the host and of the map, that the feature keeps
    /// for itself.
    fn units_of_its_own(_: &Self::Settings, _: &Layout) -> u32 {
        0
    }

    /// True when the feature has superblocks of several dies reclaimed together.
    fn works_in_step(_: &Self::Settings) -> bool {
        false
    }

    /// Returns the number of superblocks of each die that the feature sets apart from the superblocks shared
    /// by all data.
    fn apart(_: &Self::Settings, _: &Layout) -> u32 {
        0
    }

    /// Returns the time for which data must stay correctable.
    fn retention(_: &Self::Settings) -> Option<Nanos> {
        None
    }

    /// Returns the number of buffer slots that the feature keeps for itself.
    fn slots(_: &Self::Settings, _: &Layout) -> u32 {
        0
    }

    /// Returns the most bytes of state of the simulator; `code`: what reads are corrected with.
    fn bytes_most(settings: &Self::Settings, layout: &Layout, code: Option<&Ladder>) -> u64;

    /// Returns the work that the feature asks of each die by the clock, once the drive is full.
    fn chore(_: &Self::Settings, _: &Layout, _: &Costs) -> Option<Chore> {
        None
    }

    /// Returns the feature of a fresh drive; none where the drive does not have it.
    ///
    /// # Errors
    /// When the drive lacks what it needs; the text says what.
    fn new(settings: &Self::Settings, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String>;

    /// Takes over, when the power is back, the part of the former state that survived.
    fn take_back(&mut self, before: Self);

    /// Adds the state of the feature, or a note that it is absent, to a saved state.
    fn save(_: Option<&Self>, _: &Core, _: &mut SavedState) {}

    /// Restores the feature from a saved state.
    ///
    /// # Errors
    /// When it contradicts itself, or the drive.
    fn load(_: Option<&mut Self>, _: &mut Core, _: &mut Untaken<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// Work that a feature asks of each die at regular times.
pub(crate) struct Chore {
    pub key: &'static str,
    pub ns: u64,
    pub within: Nanos,
    pub what: String,
}

macro_rules! make {
    ([$($name:ident: $type:ty,)*]) => {
        /// The settings of all features.
        pub struct Settings {
            $($name: <$type as Said>::Settings,)*
        }

        impl Settings {
            /// Reads their keys in `[ftl]`.
            ///
            /// # Errors
            /// When a value is wrong.
            pub(crate) fn read(ftl: &mut Section, layout: &mut Layout) -> Result<Self, ConfigError> {
                Ok(Self { $($name: <$type as Made>::read(ftl, layout)?,)* })
            }

            /// Returns the number of logical units, behind those of the host and of the map, that the
            /// features keep for themselves.
            pub(crate) fn units_of_their_own(&self, layout: &Layout) -> u32 {
                0 $(+ <$type as Made>::units_of_its_own(&self.$name, layout))*
            }

            /// True if superblocks of several dies are reclaimed together.
            pub(crate) fn work_in_step(&self) -> bool {
                false $(|| <$type as Made>::works_in_step(&self.$name))*
            }

            /// Returns the number of superblocks of each die that the features set apart from the superblocks
            /// shared by all data.
            pub(crate) fn apart(&self, layout: &Layout) -> u32 {
                0 $(+ <$type as Made>::apart(&self.$name, layout))*
            }

            /// Returns the time for which data must stay correctable.
            pub(crate) fn retention(&self) -> Nanos {
                None$(.or_else(|| <$type as Made>::retention(&self.$name)))*.unwrap_or(Nanos::new(u64::MAX))
            }

            /// Returns the number of buffer slots that the features keep for themselves.
            pub(crate) fn slots(&self, layout: &Layout) -> u32 {
                0 $(+ <$type as Made>::slots(&self.$name, layout))*
            }

            /// Returns the work that the features ask of each die at regular times.
            pub(crate) fn chores(&self, layout: &Layout, costs: &Costs) -> impl Iterator<Item = Chore> {
                [$(<$type as Made>::chore(&self.$name, layout, costs)),*].into_iter().flatten()
            }

            /// Returns the most bytes of state of the simulator.
            pub(crate) fn bytes_most(&self, layout: &Layout, code: Option<&Ladder>) -> u64 {
                0 $(+ <$type as Made>::bytes_most(&self.$name, layout, code))*
            }
        }

        impl Features {
            /// Returns the features of a fresh drive.
            ///
            /// # Errors
            /// When the drive lacks what one of them needs; the text says what.
            pub(crate) fn new(settings: &Settings, making: &mut Making<'_>) -> Result<Self, String> {
                let mut features = Self {
                    active: false,
                    $($name: <$type as Made>::new(&settings.$name, making)?,)*
                };
                features.active = false $(|| features.$name.is_some())*;
                Ok(features)
            }

            /// Adds the state of each feature, or a note that it is absent, to a saved state.
            pub(crate) fn save(&self, core: &Core, saved: &mut SavedState) {
                $(<$type as Made>::save(self.$name.as_deref(), core, saved);)*
            }

            /// Restores the features from a saved state.
            ///
            /// # Errors
            /// When it contradicts itself, or the drive.
            pub(crate) fn load(
                &mut self,
                core: &mut Core,
                saved: &mut Untaken<'_>,
            ) -> Result<(), String> {
                $(<$type as Made>::load(self.$name.as_deref_mut(), core, saved)?;)*
                Ok(())
            }

            /// Lets each feature take over, when the power is back, the part of its former state that
            /// survived.
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
        /// A feature of the list: asked for by its type where it is told of in results.
        pub trait Listed: Said {
            /// Returns this feature of a drive; none where the drive does not have it.
            #[doc(hidden)]
            fn of(features: &Features) -> Option<&Self>;

            /// Returns the settings of this feature.
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
