// All benches of this library take the median of five rounds after a warm-up. The benches measure CPU time, because other processes do not
// change the CPU time.
import { cpus } from 'node:os'

const roundMs = 500

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the spans per second of CPU time. The CPU time is that of all threads, and includes garbage collection. */
export const spansPerSecond = (spans: number, run: () => unknown): number => {
  for (const until = cpuMs() + 400; cpuMs() < until; ) run()
  const rates: number[] = []
  for (let round = 0; round < 5; round++) {
    const started = cpuMs()
    let done = 0
    while (cpuMs() - started < roundMs) {
      run()
      done += spans
    }
    rates.push((done / (cpuMs() - started)) * 1000)
  }
  return Math.round(rates.sort((a, b) => a - b)[2]!)
}

export const report = (bench: string, facts: object, rates: Readonly<Record<string, number>>): void => {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
  console.log(JSON.stringify({ bench, machine, ...facts, spansPerCpuSecond: rates }, null, 2))
}
