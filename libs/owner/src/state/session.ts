// Decides whether the state's files are trustworthy. Commits are not forced to the disk, because the log can restore
// everything; this spares a disk, which the log may share, most of its writes. The death of the process loses
// nothing. The death of the machine may leave any mixture of old and new pages, and pages have no checksum. Each
// opening therefore records the machine's boot, and a state that was left open in another boot is not opened again.
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Increase with every change of layout.ts. */
const FORMAT = 2
/** Position and value of LMDB's file identification. */
const LMDB = { headerBytes: 24, magic: 0xbeefc0de, version: 2, minPageBytes: 4096 }
/** Maximum openings in a row that never responded: reading the files kills the process. */
const maxDeaths = 3

const sessionShape = z.object({
  format: z.literal(FORMAT),
  /** Null when this system has no boot id, and commits were forced to the disk. */
  bootId: z.string().nullable(),
  open: z.boolean(),
  deaths: z.number(),
  damage: z.string().nullable(),
})

type Stored = z.infer<typeof sessionShape>

export interface Session {
  /** Null when the files may be opened; otherwise the reason why not. */
  readonly distrust: string | null
  /** Whether the operating system may delay commits. */
  readonly mayDefer: boolean
  /** Called before the files are opened. */
  begin(): void
  /** Called after a successful open and read. */
  prove(): void
  /** Marks the files as untrustworthy. */
  markDamaged(damage: string): void
  /** Called when everything is on the disk. */
  end(): void
}

/** `dataFile` is the store's file, which may not exist yet. */
export function openSession(directory: string, dataFile: string, bootId: string | null = currentBoot()): Session {
  const file = join(directory, 'session.json')
  const hasData = existsSync(dataFile)
  const found = read(file)
  let current: Stored = { format: FORMAT, bootId, open: false, deaths: found?.open && hasData ? found.deaths : 0, damage: null }
  const write = (changes: Partial<Stored>): void => {
    current = { ...current, ...changes }
    const next = `${file}.next`
    writeFileSync(next, JSON.stringify(current))
    // This file must be on the disk before any write that it warns about.
    syncFile(next)
    renameSync(next, file)
    syncFile(directory)
  }
  return {
    distrust: hasData ? (distrust(found, bootId) ?? (isLmdbFile(dataFile) ? null : 'they are not those of a store')) : null,
    mayDefer: bootId !== null,
    begin: () => write({ open: true, deaths: current.deaths + 1 }),
    prove: () => write({ deaths: 0 }),
    markDamaged: damage => write({ damage }),
    end: () => write({ open: false, deaths: 0 }),
  }
}

function distrust(found: Stored | null, bootId: string | null): string | null {
  if (found === null) return 'they were written by another version'
  if (found.damage !== null) return `they are damaged: ${found.damage}`
  if (found.open && found.bootId !== null && found.bootId !== bootId) return 'the machine stopped before they were on its disk'
  if (found.open && found.deaths >= maxDeaths) return `${maxDeaths} processes in a row died on opening them`
  return null
}

/** The store itself ends the process when it finds another file. */
function isLmdbFile(file: string): boolean {
  const page = Buffer.alloc(LMDB.minPageBytes)
  const fd = openSync(file, 'r')
  try {
    if (readSync(fd, page, 0, page.length, 0) < page.length) return false
    return page.readUInt32LE(LMDB.headerBytes) === LMDB.magic && page.readUInt32LE(LMDB.headerBytes + 4) === LMDB.version
  } finally {
    closeSync(fd)
  }
}

function read(file: string): Stored | null {
  try {
    return sessionShape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Linux has a boot id. On other systems commits are forced to the disk. */
function currentBoot(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

export function syncFile(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fdatasyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
