// Measures the CPU time and memory of other processes for benches. The functions read /proc/<pid>, so they work only on Linux.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const msPerTick = 10

const ticksOf = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

/** Returns the user and system time since the start of the process, in ms. */
export const processCpuMs = (pid: number): number => ticksOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))

const roles: Readonly<Record<string, string>> = {
  MainThread: 'main',
  WorkerThread: 'workers',
  V8Worker: 'v8 helpers',
  'libuv-worker': 'libuv',
}

/**
 * Returns the CPU time of each thread role: `main`, `workers`, `v8 helpers`, `libuv`, and `other`. The role `other` includes threads that
 * have ended.
 */
export function threadCpuMs(pid: number): Record<string, number> {
  const byRole: Record<string, number> = { main: 0, workers: 0, 'v8 helpers': 0, libuv: 0, other: processCpuMs(pid) }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    let stat: string
    try {
      stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    } catch {
      // The thread ended after the directory was listed.
      continue
    }
    const role = roles[stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))]
    if (role === undefined) continue
    byRole[role]! += ticksOf(stat)
    byRole['other']! -= ticksOf(stat)
  }
  return byRole
}

/**
 * Returns the anonymous memory in MB, without mapped files. If the system does not report this memory, returns the total memory of the
 * current process.
 */
export function anonymousMB(pid: number | 'self' = 'self'): number {
  const file = `/proc/${pid}/status`
  const found = existsSync(file) ? /RssAnon:\s+(\d+)/.exec(readFileSync(file, 'utf8')) : null
  return Math.round(found ? Number(found[1]) / 1024 : process.memoryUsage.rss() / 1024 / 1024)
}
