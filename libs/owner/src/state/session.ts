// Decides whether the state's files can be trusted. For speed, commits are not forced to disk, because everything can be restored from the
// log. A crash of the process loses nothing. After a crash of the machine, the data file can contain any mixture of old and new pages. The
// pages have no checksums that would reveal the mixture. Therefore each opening records the machine's boot id, and a state that was left
// open in an earlier boot is not used.
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Increase this version whenever layout.ts changes. */
const FORMAT = 2
const LMDB = { headerBytes: 24, magic: 0xbeefc0de, version: 2, minPageBytes: 4096 }
/**
 * Maximum number of consecutive processes that opened the files and died before they had read them. After that, the files count as damaged,
 * because reading them possibly crashes the process.
 */
const maxDeaths = 3

const sessionShape = z.object({
  format: z.literal(FORMAT),
  /** The machine's boot id. Null if the system has no boot id. In this case, every commit is forced to disk. */
  bootId: z.string().nullable(),
  open: z.boolean(),
  deaths: z.number(),
  damage: z.string().nullable(),
})

type Stored = z.infer<typeof sessionShape>

export interface Session {
  /** The reason why the files must not be opened, or null if they can be opened. */
  readonly distrust: string | null
  /** True if the operating system may delay the writes of commits. */
  readonly mayDefer: boolean
  begin(): void
  /** Called after the files were opened and read successfully. */
  prove(): void
  markDamaged(damage: string): void
  end(): void
}

/** `dataFile` is the file that contains the state. If only the session file is missing, the state is not used. */
export function openSession(directory: string, dataFile: string, bootId: string | null = currentBoot()): Session {
  const file = join(directory, 'session.json')
  const hasData = existsSync(dataFile)
  const found = read(file)
  let current: Stored = { format: FORMAT, bootId, open: false, deaths: found?.open && hasData ? found.deaths : 0, damage: null }
  const write = (changes: Partial<Stored>): void => {
    current = { ...current, ...changes }
    const next = `${file}.next`
    writeFileSync(next, JSON.stringify(current))
    // The session file must be on disk before anything is written to the state.
    syncFile(next)
    renameSync(next, file)
    syncFile(directory)
  }
  return {
    distrust: hasData ? (distrust(found, bootId) ?? (isLmdbFile(dataFile) ? null : 'the files are not those of a store')) : null,
    mayDefer: bootId !== null,
    begin: () => write({ open: true, deaths: current.deaths + 1 }),
    prove: () => write({ deaths: 0 }),
    markDamaged: damage => write({ damage }),
    end: () => write({ open: false, deaths: 0 }),
  }
}

function distrust(found: Stored | null, bootId: string | null): string | null {
  if (found === null) return 'a different version wrote the files'
  if (found.damage !== null) return `the files are damaged: ${found.damage}`
  if (found.open && found.bootId !== null && found.bootId !== bootId) return 'the machine stopped before the files were on its disk'
  if (found.open && found.deaths >= maxDeaths) return `${maxDeaths} processes in a row crashed while opening the files`
  return null
}

/** If the file were not an LMDB file, LMDB would end the process. */
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

/** Returns the boot id on Linux, else null. */
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
