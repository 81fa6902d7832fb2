//! A preset while it is edited.

use leptos::prelude::*;

use crate::{
    story::{
        features::Features,
        preset::{Block, Preset},
        sampling::Sampling,
    },
    ui::samplers::{OF_PRESET, Samplers},
};

/// A block in the list. The key stays with it wherever it moves.
#[derive(Clone, Copy, PartialEq)]
pub struct Row {
    pub key: u32,
    pub block: RwSignal<Block>,
    pub is_open: RwSignal<bool>,
}

#[derive(Clone, Copy)]
pub struct Draft {
    pub name: RwSignal<String>,
    pub description: RwSignal<String>,
    pub features: RwSignal<Features>,
    pub samplers: Samplers,
    pub rows: RwSignal<Vec<Row>>,
    /// As it is stored; what the editor does not show stays.
    pub stored: StoredValue<Preset>,
    next_key: StoredValue<u32>,
}

impl Draft {
    pub fn of(preset: Preset) -> Self {
        let row = |(key, block): (u32, &Block)| row(key, block.clone());
        let rows: Vec<Row> = (0..).zip(&preset.blocks).map(row).collect();
        Self {
            name: RwSignal::new(preset.name.clone()),
            description: RwSignal::new(preset.description.clone()),
            features: RwSignal::new(preset.features.clone()),
            samplers: Samplers::new(OF_PRESET, &preset.sampling),
            next_key: StoredValue::new(rows.len() as u32),
            rows: RwSignal::new(rows),
            stored: StoredValue::new(preset),
        }
    }

    /// As it stands in the editor; follows every change.
    pub fn preset(self) -> Preset {
        let blocks = self.rows.with(|rows| rows.iter().map(|row| row.block.get()).collect());
        let (name, description, features) = (self.name.get(), self.description.get(), self.features.get());
        let stored = self.stored.get_value();
        // What is none is not saved; that is said beside it.
        let sampling = self.samplers.read(stored.sampling.clone()).unwrap_or(stored.sampling);
        Preset { name, description, blocks, features, sampling, ..self.stored.get_value() }
    }

    /// Whether all of the sampling can be read.
    pub fn is_sound(self) -> bool {
        self.samplers.read(Sampling::default()).is_ok()
    }

    pub fn is_changed(self) -> bool {
        let now = self.preset();
        self.stored.with_value(|stored| *stored != now)
    }

    /// Puts a block at the end, opened.
    pub fn add(self, block: Block) {
        self.next_key.update_value(|key| *key += 1);
        let row = row(self.next_key.get_value(), block);
        row.is_open.set(true);
        self.rows.update(|rows| rows.push(row));
    }

    /// Puts a block back where it was, unless the editor has been left.
    pub fn put_back(self, at: usize, row: Row) {
        let _ = self.rows.try_update(|rows| rows.insert(at.min(rows.len()), row));
    }

    pub fn place_of(self, key: u32) -> Option<usize> {
        self.rows.with_untracked(|rows| rows.iter().position(|row| row.key == key))
    }

    /// Moves a block to a place: the new place and the number of places, where it moved.
    pub fn move_to(self, key: u32, to: usize) -> Option<(usize, usize)> {
        let from = self.place_of(key)?;
        let count = self.rows.with_untracked(Vec::len);
        if to >= count || to == from {
            return None;
        }
        self.rows.update(|rows| {
            let row = rows.remove(from);
            rows.insert(to, row);
        });
        Some((to, count))
    }
}

fn row(key: u32, block: Block) -> Row {
    Row { key, block: RwSignal::new(block), is_open: RwSignal::new(false) }
}
