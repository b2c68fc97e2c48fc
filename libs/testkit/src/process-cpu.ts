// CPU of other processes, for benches that run servers beside what they measure. Linux only:
// /proc/<pid>/stat.
import { readFileSync } from 'node:fs'

const msPerTick = 10

/** User and system time of a process since its start, ms. */
export function processCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}
