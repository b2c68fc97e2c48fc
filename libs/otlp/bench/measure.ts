// One way of measuring for the benches of this library: warm up, then the median of five rounds, and a line about the machine.
import { cpus } from 'node:os'

const roundMs = 800

export const spansPerSecond = (spans: number, run: () => unknown): number => {
  for (const until = performance.now() + 400; performance.now() < until; ) run()
  const rates: number[] = []
  for (let round = 0; round < 5; round++) {
    const started = performance.now()
    let done = 0
    while (performance.now() - started < roundMs) {
      run()
      done += spans
    }
    rates.push((done / (performance.now() - started)) * 1000)
  }
  return Math.round(rates.sort((a, b) => a - b)[2]!)
}

export const report = (bench: string, facts: object, rates: Readonly<Record<string, number>>): void => {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
  console.log(JSON.stringify({ bench, machine, ...facts, spansPerSecond: rates }, null, 2))
}
