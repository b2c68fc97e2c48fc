// Runs each statement on a new connection. A new connection takes 0.4 ms. Settings, parameters, database, insert token and temporary
// objects end with the connection.

import type { EngineFeatures } from '../sql/denied.ts'
import { quoteIdentifier, quoteString } from '../sql/quote.ts'
import type { Binding, NativeResult } from './binding.ts'
import { createSlots } from './slots.ts'

interface Statement {
  readonly sql: string
  readonly format: string
  readonly database: string
  readonly settings: readonly (readonly [name: string, value: string])[]
  readonly params: readonly (readonly [name: string, value: string])[]
  /**
   * Kind of slot that the statement occupies. The number of insert slots is limited, because the memory limit allows only a few inserts at
   * the same time. INSERT … SELECT has its own slots (`copy`), so that an insert of data does not wait for a SELECT.
   */
  readonly slot: 'insert' | 'copy' | 'read'
  /** Cancels a statement that reads, including INSERT … SELECT. An insert of data always runs to its end. */
  readonly signal: AbortSignal
}

export interface EngineCore {
  readonly version: string
  readonly features: EngineFeatures
  run(statement: Statement): Promise<NativeResult>
  /**
   * Resolves when the engine responds to a probe, even with an error. The probe uses no slot, and the pool has more threads than slots, so
   * running statements do not delay it.
   */
  beat(): Promise<void>
  idle(): Promise<void>
  /** No statement may be running. */
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
 * A read takes one thread for each 256 MiB of free memory. The engine's default is one thread for each 1 GiB. With this default and
 * a memory limit of 1.5 GiB, every read would have one thread, even with a higher `max_threads` (ADR 0056). An INSERT … SELECT gets one
 * thread, because further threads would take memory from the inserts that bring their own data.
 */
const threadsOfReads = ['max_threads_min_free_memory_per_thread', String(256 * 1024 * 1024)] as const

const assignments = (pairs: Statement['settings'], prefix = ''): string =>
  pairs.map(([name, value]) => `${prefix}${name} = ${quoteString(value)}`).join(', ')

const prelude = ({ database, settings, params }: Statement): string =>
  [
    `USE ${quoteIdentifier(database)}`,
    // The settings come before the parameters, because a long parameter can need a setting that raises the maximum length of a statement.
    ...(settings.length > 0 ? [`SET ${assignments(settings)}`] : []),
    ...(params.length > 0 ? [`SET ${assignments(params, 'param_')}`] : []),
  ].join(';\n')

export const openCore = async (binding: Binding, options: CoreOptions): Promise<EngineCore> => {
  // The engine closes its data directory when the last connection is closed. `root` keeps the directory open between the statements.
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

  // The library cannot interrupt a statement. The engine's own KILL can: it finds the statement by the mark in the statement's
  // `log_comment`.
  const kill = (mark: string): void => {
    onOwnConnection(`KILL QUERY WHERE Settings['log_comment'] = ${quoteString(mark)} ASYNC`, 'Null').catch(() => {
      // An error of KILL QUERY is ignored, because the statement may have ended already.
    })
  }

  return {
    version,
    features,
    async run(statement) {
      const release = await slots[statement.slot].acquire(statement.signal)
      // The caller's own comment stays in front of the mark.
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
