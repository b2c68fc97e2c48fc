// Keeps the temporary files of the suites in memory if enough memory is free. Otherwise, the files are on a disk, and an insert spends a
// third of its time waiting for the disk.
import { readFileSync, statfsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { tellTemporaryFiles, temporaryFilesOf } from './config.ts'

const place = '/dev/shm'
const prefix = 'svc-run-'
/**
 * A run keeps its temporary files in memory only if at least this much memory is free. This amount is several times as large as the peak
 * memory use of a run.
 */
const roomBytes = 6 * 2 ** 30

/** The file system must allow execution, because tests run programs in temporary directories. */
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

/** Deletes the files of killed runs, because these files occupy memory. */
async function removeLeft(): Promise<void> {
  const left = (await readdir(place)).filter(name => name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length))))
  for (const name of left) await rm(join(place, name), { recursive: true, force: true })
}

let restored: string | undefined
let path: string | undefined

export async function setup(): Promise<void> {
  const before = temporaryFilesOf()
  // Vitest calls this function once per project of a run. Only the first call has an effect.
  if (before?.startsWith(join(place, prefix)) || !isRoomy()) return
  await removeLeft()
  path = join(place, `${prefix}${process.pid}`)
  await mkdir(path)
  // PostgreSQL can run as a different user. This user must be able to enter the directory.
  await chmod(path, 0o711)
  restored = before
  tellTemporaryFiles(path)
}

export async function teardown(): Promise<void> {
  if (path === undefined) return
  tellTemporaryFiles(restored)
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
