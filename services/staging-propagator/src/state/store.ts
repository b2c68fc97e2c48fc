// The LMDB environment of the state: a table per partition, so that a partition is forgotten by dropping its table. The files can be read
// again from the log at any time, so files that are not to be trusted are deleted without asking.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, isAppError } from '@svc-server/errors'
import { lockDirectory } from '@svc-server/log/directory-lock'
import type { Logger } from '@svc-server/service/logs'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { Operation } from './fold.ts'
import { keys, type Numbers } from './layout.ts'
import { openSession, type Session, syncFile } from './session.ts'
import { createTable, type Table } from './table.ts'

interface Write {
  readonly clear: boolean
  readonly operations: readonly Operation[]
  readonly numbers: Numbers
}

export interface Store {
  readonly tables: readonly Table[]
  /** One transaction: all of it or nothing. Rejects with `state_unavailable`. */
  write(partition: number, write: Write): Promise<void>
  /** The files have been read without harm. */
  prove(): void
  /** What they hold makes no sense: the next opening begins with empty ones. */
  markDamaged(error: unknown): void
  bytesOnDisk(): number
  close(): Promise<void>
}

export interface StoreOptions {
  readonly directory: string
  readonly partitions: number
  readonly logger: Pick<Logger, 'warn'>
}

/** Throws `state_unavailable`, and `data_dir_locked` when another process has the directory. */
export function openStore({ directory, partitions, logger }: StoreOptions): Store {
  const dataFile = join(directory, 'data.mdb')
  const { session, root, databases, release } = orUnavailable(directory, 'opened', () => {
    const release = lockDirectory(directory, 'The trace state')
    try {
      return { release, ...openTrusted(directory, dataFile, partitions, logger) }
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
          database.put(keys.numbers, Buffer.from(JSON.stringify(numbers)))
        })
      } catch (error) {
        // lmdb hides the cause in a promise of its own, which must be caught or it ends the process.
        const hidden = (error as { commitError?: Promise<never> }).commitError
        const cause = await (hidden ?? Promise.reject(error)).catch((reason: unknown) => reason)
        throw unavailable(directory, 'written', cause)
      }
    },

    prove() {
      if (isProven) return
      orUnavailable(directory, 'written', session.prove)
      isProven = true
    },

    markDamaged: error => orUnavailable(directory, 'written', () => session.markDamaged(reasonOf(error))),

    bytesOnDisk: () => statSync(dataFile).size,

    async close() {
      await root.close()
      orUnavailable(directory, 'written', () => {
        syncFile(dataFile)
        session.end()
      })
      release()
    },
  }
}

function openTrusted(directory: string, dataFile: string, partitions: number, logger: StoreOptions['logger']) {
  const session = openSession(directory, dataFile)
  if (session.distrust !== null) {
    logger.warn({ directory, reason: session.distrust }, 'the files of the trace state are deleted and read again from the log')
    for (const name of ['data.mdb', 'lock.mdb']) rmSync(join(directory, name), { force: true })
  }
  session.begin()
  try {
    return { session, ...openDatabases(directory, partitions, session) }
  } catch (error) {
    if (!isDamage(error) || session.distrust !== null) throw error
    session.markDamaged(reasonOf(error))
    return openTrusted(directory, dataFile, partitions, logger)
  }
}

/** LMDB's own codes from MDB_PAGE_NOTFOUND to MDB_INVALID: the file is not what was written. A full disk or a lack of rights is not among them. */
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
    // A commit is answered when it is done, and a failure rejects, as in the embedded log.
    overlappingSync: false,
    eventTurnBatching: false,
  })
  try {
    const databases = Array.from(
      { length: partitions },
      (_, partition): Database<Buffer, Buffer> => root.openDB({ name: `${partition}`, encoding: 'binary', keyEncoding: 'binary' }),
    )
    return { root, databases }
  } catch (error) {
    void root.close()
    throw error
  }
}

const unavailable = (directory: string, what: 'opened' | 'written', cause: unknown) =>
  new AppError('state_unavailable', `The trace state could not be ${what}: ${reasonOf(cause)}.`, { directory }, { cause })

function orUnavailable<T>(directory: string, what: 'opened' | 'written', work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isAppError(error) ? error : unavailable(directory, what, error)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
