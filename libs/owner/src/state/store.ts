// The LMDB environment of a state, with one table for each partition. The log can restore the files, so `openStore` deletes files that
// session.ts does not trust, without asking an operator.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, isAppError } from '@svc-server/errors'
import { lockDirectory } from '@svc-server/log/directory-lock'
import type { Logger } from '@svc-server/service/logs'
import { type Database, open, type RootDatabase } from 'lmdb'
import { openSession, type Session, syncFile } from './session.ts'

/** Sets the value of a key. Without a value, removes the key. */
export interface Operation {
  readonly key: Buffer
  readonly value?: Buffer
}

export interface Write<Numbers> {
  readonly clear: boolean
  readonly operations: readonly Operation[]
  readonly numbers: Numbers
}

/** Key under which a table stores its numbers, such as its offset. Every table uses this key. */
export const numbersKey = Buffer.of(0)

type Files = Database<Buffer, Buffer>

export interface Store<Table, Numbers> {
  readonly tables: readonly Table[]
  /** Runs one atomic transaction. Rejects with `state_unavailable` if the disk refuses the write. */
  write(partition: number, write: Write<Numbers>): Promise<void>
  prove(): void
  /** Marks the files as damaged. When the store is opened again, it begins with empty files. */
  markDamaged(error: unknown): void
  bytesOnDisk(): number
  close(): Promise<void>
}

interface StoreOptions<Table> {
  readonly directory: string
  /** The state's name in messages: `The trace state`. */
  readonly name: string
  readonly createTable: (files: Files) => Table
  readonly partitions: number
  readonly logger: Pick<Logger, 'warn'>
}

/** Throws `state_unavailable`. Throws `data_dir_locked` if another process uses the directory. */
export function openStore<Table, Numbers>({
  directory,
  name,
  createTable,
  partitions,
  logger,
}: StoreOptions<Table>): Store<Table, Numbers> {
  const dataFile = join(directory, 'data.mdb')
  const at = { directory, name }
  const { session, root, databases, release } = orUnavailable(at, 'opened', () => {
    const release = lockDirectory(directory, name)
    try {
      return { release, ...openTrusted(at, dataFile, partitions, logger) }
    } catch (error) {
      release()
      throw error
    }
  })
  let isProven = false

  return {
    tables: databases.map(createTable),

    async write(partition, { clear, operations, numbers }) {
      const database = databases[partition]!
      try {
        await root.batch(() => {
          if (clear) database.clearAsync()
          for (const { key, value } of operations) {
            if (value === undefined) database.remove(key)
            else database.put(key, value)
          }
          database.put(numbersKey, Buffer.from(JSON.stringify(numbers)))
        })
      } catch (error) {
        // lmdb reports the cause in a second promise, which also rejects. If no code handled this rejection, it would end the process.
        const hidden = (error as { commitError?: Promise<never> }).commitError
        const cause = await (hidden ?? Promise.reject(error)).catch((reason: unknown) => reason)
        throw unavailable(at, 'written', cause)
      }
    },

    prove() {
      if (isProven) return
      orUnavailable(at, 'written', session.prove)
      isProven = true
    },

    markDamaged: error => orUnavailable(at, 'written', () => session.markDamaged(reasonOf(error))),

    bytesOnDisk: () => statSync(dataFile).size,

    async close() {
      await root.close()
      orUnavailable(at, 'written', () => {
        syncFile(dataFile)
        session.end()
      })
      release()
    },
  }
}

interface Place {
  readonly directory: string
  readonly name: string
}

function openTrusted(at: Place, dataFile: string, partitions: number, logger: Pick<Logger, 'warn'>) {
  const { directory, name } = at
  const session = openSession(directory, dataFile)
  if (session.distrust !== null) {
    logger.warn({ directory, reason: session.distrust }, `${name}: its files are deleted and rebuilt from the log`)
    for (const file of ['data.mdb', 'lock.mdb']) rmSync(join(directory, file), { force: true })
  }
  session.begin()
  try {
    return { session, ...openDatabases(directory, partitions, session) }
  } catch (error) {
    if (!isDamage(error) || session.distrust !== null) throw error
    session.markDamaged(reasonOf(error))
    return openTrusted(at, dataFile, partitions, logger)
  }
}

/** The codes from MDB_PAGE_NOTFOUND to MDB_INVALID mean damaged files. */
function isDamage(error: unknown): boolean {
  const code = Number((error as { code?: unknown }).code)
  return code >= -30_797 && code <= -30_793
}

function openDatabases(directory: string, partitions: number, session: Session) {
  const root: RootDatabase<Buffer, Buffer> = open({
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: partitions + 1,
    noSync: session.mayDefer,
    // With these options, the promise of a commit settles when the commit is done or has failed.
    overlappingSync: false,
    eventTurnBatching: false,
  })
  try {
    const databases = Array.from(
      { length: partitions },
      (_, partition): Files => root.openDB({ name: `${partition}`, encoding: 'binary', keyEncoding: 'binary' }),
    )
    return { root, databases }
  } catch (error) {
    void root.close()
    throw error
  }
}

const unavailable = ({ directory, name }: Place, what: 'opened' | 'written', cause: unknown) =>
  new AppError('state_unavailable', `${name} could not be ${what}: ${reasonOf(cause)}.`, { directory }, { cause })

function orUnavailable<T>(at: Place, what: 'opened' | 'written', work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isAppError(error) ? error : unavailable(at, what, error)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
