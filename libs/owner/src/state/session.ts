// Says whether the files of the state may be trusted. Commits are not forced to the disk, because everything
// can be read again from the log: that spares a disk that the log may share most of its writes. The death of
// the process loses nothing so, but the death of the machine may leave any mixture of old and new pages, and
// no page has a checksum. So each opening notes the machine's boot, and a state that was not closed in
// another one is not opened again.
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Changes whenever layout.ts does. */
const FORMAT = 2
/** Where LMDB says what it is. */
const LMDB = { headerBytes: 24, magic: 0xbeefc0de, version: 2, minPageBytes: 4096 }
/** Openings in a row that did not live to answer once: reading the files ends the process. */
const maxDeaths = 3

const sessionShape = z.object({
  format: z.literal(FORMAT),
  /** Null: this system does not tell, and commits were forced to the disk. */
  bootId: z.string().nullable(),
  open: z.boolean(),
  deaths: z.number(),
  damage: z.string().nullable(),
})

type Stored = z.infer<typeof sessionShape>

export interface Session {
  /** Null: the files may be opened. Otherwise why they must not be. */
  readonly distrust: string | null
  /** Whether commits may be left to the system. */
  readonly mayDefer: boolean
  /** Before the files are opened. */
  begin(): void
  /** They have been opened and read from. */
  prove(): void
  /** They are not to be trusted any more. */
  markDamaged(damage: string): void
  /** All is on the disk. */
  end(): void
}

/** `dataFile`: the file of the store, which need not be there yet. */
export function openSession(directory: string, dataFile: string, bootId: string | null = currentBoot()): Session {
  const file = join(directory, 'session.json')
  const hasData = existsSync(dataFile)
  const found = read(file)
  let current: Stored = { format: FORMAT, bootId, open: false, deaths: found?.open && hasData ? found.deaths : 0, damage: null }
  const write = (changes: Partial<Stored>): void => {
    current = { ...current, ...changes }
    const next = `${file}.next`
    writeFileSync(next, JSON.stringify(current))
    // It must be on the disk before anything that it warns of.
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

/** Linux tells; elsewhere commits are forced to the disk instead. */
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
