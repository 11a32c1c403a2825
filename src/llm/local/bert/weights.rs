//! What `model.safetensors` holds, by name and shape.

use super::products::{MatrixView, multiply};
use super::wide;
use anyhow::{Context, Result, bail, ensure};
use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors};

/// The tensors of a file.
pub(super) struct Tensors<'a> {
    tensors: SafeTensors<'a>,
    prefix: &'static str,
}

impl<'a> Tensors<'a> {
    /// Reads the list of what there is.
    ///
    /// # Errors
    /// It is no safetensors file.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let tensors = SafeTensors::deserialize(bytes).context("it is no safetensors file")?;
        Ok(Self { tensors, prefix: "" })
    }

    /// The same, named from the first of `prefixes` on below which there is `name`.
    pub(super) fn below(mut self, prefixes: &[&'static str], name: &str) -> Self {
        let found = prefixes.iter().find(|prefix| self.tensors.tensor(&format!("{prefix}{name}")).is_ok());
        self.prefix = found.copied().unwrap_or_default();
        self
    }

    /// The numbers of a tensor, row by row.
    ///
    /// # Errors
    /// There is none of the name and the shape, or its numbers are not floats of 32 or 16 bits.
    pub(super) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let name = format!("{}{name}", self.prefix);
        let tensor = self.tensors.tensor(&name).with_context(|| format!("{name} is missing"))?;
        ensure!(tensor.shape() == shape, "{name} has the shape {:?}, wanted is {shape:?}", tensor.shape());
        let data = tensor.data();
        Ok(match tensor.dtype() {
            Dtype::F32 => data.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            Dtype::F16 => {
                data.as_chunks().0.iter().map(|bytes| f16::from_le_bytes(*bytes).to_f32()).collect()
            }
            Dtype::BF16 => {
                data.as_chunks().0.iter().map(|bytes| bf16::from_le_bytes(*bytes).to_f32()).collect()
            }
            other => bail!("{name} is of {other:?}; F32, F16 and BF16 are read"),
        })
    }

    /// A layer of weights and offsets.
    ///
    /// # Errors
    /// As [`Tensors::tensor`].
    pub(super) fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear> {
        Ok(Linear {
            weight: self.tensor(&format!("{name}.weight"), &[outputs, inputs])?,
            bias: self.tensor(&format!("{name}.bias"), &[outputs])?,
            inputs,
            outputs,
        })
    }

    /// A norm; old files call its parts gamma and beta.
    ///
    /// # Errors
    /// As [`Tensors::tensor`].
    pub(super) fn norm(&self, name: &str, size: usize, epsilon: f64) -> Result<Norm> {
        let part = |new: &str, old: &str| {
            let tensor = self.tensor(&format!("{name}.{new}"), &[size]);
            tensor.or_else(|error| self.tensor(&format!("{name}.{old}"), &[size]).map_err(|_old| error))
        };
        #[expect(clippy::cast_possible_truncation, reason = "a small number that is added to a variance")]
        let epsilon = epsilon as f32;
        Ok(Norm { weight: part("weight", "gamma")?, bias: part("bias", "beta")?, epsilon })
    }
}

/// Weights, a row an output, and what is added.
pub(super) struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    pub(super) outputs: usize,
}

impl Linear {
    /// Several of the same inputs as one.
    pub(super) fn joined<const N: usize>(parts: [Self; N]) -> Self {
        let inputs = parts.first().map_or(0, |part| part.inputs);
        let mut joined = Self { weight: Vec::new(), bias: Vec::new(), inputs, outputs: 0 };
        for part in parts {
            joined.weight.extend(part.weight);
            joined.bias.extend(part.bias);
            joined.outputs += part.outputs;
        }
        joined
    }

    /// Writes the outputs of each row of `input` into `output`.
    pub(super) fn apply(&self, input: &[f32], output: &mut [f32]) {
        let rows = MatrixView {
            data: input,
            rows: input.len() / self.inputs,
            columns: self.inputs,
            strides: (self.inputs, 1),
        };
        let weight = MatrixView {
            data: &self.weight,
            rows: self.outputs,
            columns: self.inputs,
            strides: (self.inputs, 1),
        };
        multiply(output, self.outputs, &rows, &weight.turned(), 1.0);
        for row in output.chunks_exact_mut(self.outputs) {
            wide::add(row, &self.bias);
        }
    }
}

/// Mean 0 and variance 1 a row, then weights.
pub(super) struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    /// Each row of `rows` by itself, in place.
    pub(super) fn apply(&self, rows: &mut [f32]) {
        wide::norm(rows, &self.weight, &self.bias, self.epsilon);
    }
}
