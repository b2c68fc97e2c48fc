// Temporary files of the suites of a run lie in memory where there is room: engines, logs and brokers wait for the disk after
// every insert, which is a third of what an insert costs, and no test can tell the difference. On a disk otherwise.
import { readFileSync, statfsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { tellTemporaryFiles, temporaryFilesOf } from './config.ts'

const place = '/dev/shm'
const prefix = 'svc-run-'
/** Several times what a run has at once. */
const roomBytes = 6 * 2 ** 30

/** Programs are started from temporary directories too. */
function isRoomy(): boolean {
  try {
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map(line => line.split(' '))
      .findLast(([, path]) => path === place)
    if (mount === undefined || mount[2] !== 'tmpfs' || mount[3]!.split(',').some(option => option === 'noexec' || option === 'ro'))
      return false
    const { bavail, bsize } = statfsSync(place)
    return Math.min(bavail * bsize, freemem()) >= roomBytes
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** A run that was killed leaves its files, and nothing but this would take them out of memory. */
async function removeLeft(): Promise<void> {
  const left = (await readdir(place)).filter(name => name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length))))
  for (const name of left) await rm(join(place, name), { recursive: true, force: true })
}

let restored: string | undefined
let path: string | undefined

export async function setup(): Promise<void> {
  const before = temporaryFilesOf()
  // Each project of a run sets up; the first one is for all of them.
  if (before?.startsWith(join(place, prefix)) || !isRoomy()) return
  await removeLeft()
  path = join(place, `${prefix}${process.pid}`)
  await mkdir(path)
  // PostgreSQL runs as a user of its own, and has to come through.
  await chmod(path, 0o711)
  restored = before
  tellTemporaryFiles(path)
}

export async function teardown(): Promise<void> {
  if (path === undefined) return
  tellTemporaryFiles(restored)
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
