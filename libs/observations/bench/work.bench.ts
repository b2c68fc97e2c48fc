// Encodes expensive requests of different shapes. Measures the CPU time of each shape per unit of load (`MeasuredShape.load`). Run: node
// libs/observations/bench/work.bench.ts [rounds] [bytes] [part of a name]
import { cpus } from 'node:os'
import { dearShapes } from '../test/dear-shapes.ts'
import { measureShape } from '../test/measured-shape.ts'

const rounds = Number(process.argv[2] ?? 5)
const bytes = Number(process.argv[3] ?? 240_000)
const part = process.argv[4] ?? ''

const measured = Object.keys(dearShapes)
  .filter(name => name.includes(part))
  .map(name => measureShape(name, bytes, rounds))
const sorted = measured.map(({ perUnit }) => perUnit).sort((a, b) => a - b)
const median = sorted[sorted.length >> 1]!

console.log(
  JSON.stringify(
    {
      machine: `${cpus()[0]?.model} x${cpus().length}, Node ${process.version}`,
      medianMicrosPerUnit: Number(median.toFixed(3)),
      shapes: measured
        .sort((a, b) => b.perUnit - a.perUnit)
        .map(
          ({ name, perUnit, work, load, ms }) =>
            `${perUnit.toFixed(2)} µs/unit · ${name}: ${ms.toFixed(1)} ms, ${work} of work, ${load} with rows`,
        ),
    },
    null,
    2,
  ),
)
