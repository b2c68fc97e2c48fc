// Decides whether the state's files can be trusted. Commits are not forced to the disk, because the log can restore everything. Therefore
// most writes to the disk, which the log may share, are avoided. A crash of the process loses nothing. A crash of the machine can leave any
// mixture of old and new pages, and pages have no checksum. Therefore each opening records the id of the machine's boot, and a state that
// was left open during an earlier boot is not used.
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Must be increased with every change of layout.ts. */
const FORMAT = 2
/** Position and values that identify a file of LMDB. */
const LMDB = { headerBytes: 24, magic: 0xbeefc0de, version: 2, minPageBytes: 4096 }
/** After this many successive openings without a successful read, the files are not trusted: reading them may crash the process. */
const maxDeaths = 3

const sessionShape = z.object({
  format: z.literal(FORMAT),
  /** Null when the system has no boot id. On such a system, commits were forced to the disk. */
  bootId: z.string().nullable(),
  open: z.boolean(),
  deaths: z.number(),
  damage: z.string().nullable(),
})

type Stored = z.infer<typeof sessionShape>

export interface Session {
  /** The reason why the files must not be opened. Null if the files can be opened. */
  readonly distrust: string | null
  /** Whether the operating system is allowed to delay the writes of commits. */
  readonly mayDefer: boolean
  /** Called before the files are opened. */
  begin(): void
  /** Called after the files have been opened and read successfully. */
  prove(): void
  /** Marks the files as untrustworthy. */
  markDamaged(damage: string): void
  /** Called when all data is on the disk. */
  end(): void
}

/** Reads the session file of `directory`. `dataFile` is the file with the state, which may not exist yet. */
export function openSession(directory: string, dataFile: string, bootId: string | null = currentBoot()): Session {
  const file = join(directory, 'session.json')
  const hasData = existsSync(dataFile)
  const found = read(file)
  let current: Stored = { format: FORMAT, bootId, open: false, deaths: found?.open && hasData ? found.deaths : 0, damage: null }
  const write = (changes: Partial<Stored>): void => {
    current = { ...current, ...changes }
    const next = `${file}.next`
    writeFileSync(next, JSON.stringify(current))
    // The session file must be on the disk before the first write to the state.
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

/** Checked before the file is opened, because LMDB ends the process if the file is not an LMDB file. */
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

/** Returns the boot id of Linux. Other systems have none, so commits are forced to the disk there. */
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
