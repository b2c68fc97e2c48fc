// Runs statements on the engine. Each statement gets a new connection, which takes 0.4 ms. Settings, parameters, database, insert token and
// temporary objects end with the connection, so that no statement sees those of another.

import type { EngineFeatures } from '../sql/denied.ts'
import { quoteIdentifier, quoteString } from '../sql/quote.ts'
import type { Binding, NativeResult } from './binding.ts'
import { createSlots } from './slots.ts'

interface Statement {
  readonly sql: string
  readonly format: string
  readonly database: string
  /** Settings of the connection, set before the statement runs. */
  readonly settings: readonly (readonly [name: string, value: string])[]
  readonly params: readonly (readonly [name: string, value: string])[]
  /**
   * Inserts have few slots, because the process stays within its memory limit only if few inserts run. INSERT … SELECT has its own slots,
   * because inserts of data must not wait for its SELECT.
   */
  readonly slot: 'insert' | 'copy' | 'read'
  /** When this signal aborts, a statement that reads is canceled, including INSERT … SELECT. An insert of data always runs to its end. */
  readonly signal: AbortSignal
}

export interface EngineCore {
  readonly version: string
  readonly features: EngineFeatures
  run(statement: Statement): Promise<NativeResult>
  /**
   * Resolves when the engine responds to a probe, even with an error. The probe uses no slot, because long statements can occupy all slots.
   * The pool has more threads than slots, so a thread is always free for the probe.
   */
  beat(): Promise<void>
  /** Resolves as soon as no statement is running. */
  idle(): Promise<void>
  /** Closes the data directory. The caller must ensure that no statement is running. */
  close(): void
}

export interface CoreOptions {
  readonly directory: string
  readonly configFile: string
  readonly database: string
  readonly insertSlots: number
  readonly copySlots: number
  readonly readSlots: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
}

/**
 * A read takes one more thread for each 256 MiB of free memory. The engine's default is 1 GiB per thread. With its default memory per
 * thread, the engine would give every read one thread, even with a higher `max_threads`. Only reads get more threads, because people wait
 * for reads. An INSERT … SELECT gets one thread: nobody waits for it, and each further thread would take memory from inserts of data.
 */
const threadsOfReads = ['max_threads_min_free_memory_per_thread', String(256 * 1024 * 1024)] as const

const assignments = (pairs: Statement['settings'], prefix = ''): string =>
  pairs.map(([name, value]) => `${prefix}${name} = ${quoteString(value)}`).join(', ')

const prelude = ({ database, settings, params }: Statement): string =>
  [
    `USE ${quoteIdentifier(database)}`,
    // Sets settings before parameters: a parameter can be longer than the default maximum of a statement, which a setting can raise.
    ...(settings.length > 0 ? [`SET ${assignments(settings)}`] : []),
    ...(params.length > 0 ? [`SET ${assignments(params, 'param_')}`] : []),
  ].join(';\n')

export const openCore = async (binding: Binding, options: CoreOptions): Promise<EngineCore> => {
  // Stays open until `close`, because the engine closes its data directory with its last connection.
  const root = binding.CreateConnection(options.directory, [`--config-file=${options.configFile}`])

  const onOwnConnection = async (sql: string, format: string): Promise<NativeResult> => {
    const connection = binding.CreateConnection(options.directory)
    try {
      return await binding.QueryAsyncConnection(connection, sql, format)
    } finally {
      binding.CloseConnection(connection)
    }
  }
  const lines = async (sql: string): Promise<string[]> => {
    const { bytes } = await onOwnConnection(sql, 'TSV')
    return Buffer.from(bytes).toString('utf8').split('\n').filter(Boolean)
  }

  await onOwnConnection(`CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(options.database)} ENGINE = Atomic`, 'TSV')
  const [version = 'unknown'] = await lines('SELECT version()')
  const features: EngineFeatures = {
    tableFunctions: await lines('SELECT name FROM system.table_functions'),
    engines: await lines('SELECT name FROM system.table_engines UNION ALL SELECT name FROM system.database_engines'),
  }

  const limits = { maxWaiting: options.maxWaiting, maxWaitMs: options.maxWaitMs }
  const slots = {
    insert: createSlots({ name: 'inserts', slots: options.insertSlots, ...limits }),
    copy: createSlots({ name: 'copies', slots: options.copySlots, ...limits }),
    read: createSlots({ name: 'queries', slots: options.readSlots, ...limits }),
  }
  let sequence = 0

  // Uses the engine's own KILL, because the library cannot interrupt a statement. KILL finds the statement by a mark in its comment.
  const kill = (mark: string): void => {
    onOwnConnection(`KILL QUERY WHERE Settings['log_comment'] = ${quoteString(mark)} ASYNC`, 'Null').catch(() => {
      // KILL fails if the statement has already ended. This error does not matter.
    })
  }

  return {
    version,
    features,
    async run(statement) {
      const release = await slots[statement.slot].acquire(statement.signal)
      // The caller's own comment remains in front of the mark.
      const comment = statement.settings.findLast(([name]) => name === 'log_comment')?.[1] ?? ''
      const mark = `${comment} svc-${++sequence}`.trimStart()
      const onAbort = () => kill(mark)
      const cancellable = statement.slot !== 'insert'
      const settings = [
        ...(statement.slot === 'read' ? [threadsOfReads] : []),
        ['log_comment', mark] as const,
        ...statement.settings.filter(([name]) => name !== 'log_comment'),
      ]
      const marked = cancellable ? { ...statement, settings } : statement
      try {
        if (cancellable) statement.signal.addEventListener('abort', onAbort, { once: true })
        return await onOwnConnection(`${prelude(marked)};\n${statement.sql}`, statement.format)
      } finally {
        statement.signal.removeEventListener('abort', onAbort)
        release()
      }
    },
    beat: () =>
      onOwnConnection('SELECT 1', 'Null').then(
        () => undefined,
        () => undefined,
      ),
    idle: async () => {
      await Promise.all([slots.insert.idle(), slots.copy.idle(), slots.read.idle()])
    },
    close: () => binding.CloseConnection(root),
  }
}
