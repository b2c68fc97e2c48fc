// A Kysely dialect whose driver classifies errors. A store must be closed with `shut`, not with `db.destroy()`. After `db.destroy()`,
// Kysely rejects queries without calling the driver, so the driver cannot classify the error.
import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely'
import type { Places } from './places.ts'
import { classify, type Statement } from './store-errors.ts'

export interface ClassifyingDialect extends Dialect {
  /** After this call, all queries fail with `relational_unavailable`. */
  shut(): Promise<void>
}

async function classified<T>(work: () => Promise<T>, statement?: Statement): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw classify(error, statement)
  }
}

function statementOf({ query, sql }: CompiledQuery): Statement {
  return query.kind === 'DeleteQueryNode' || /^\s*delete\b/i.test(sql) ? 'delete' : 'other'
}

interface Classified extends DatabaseConnection {
  readonly inner: DatabaseConnection
}

const classifiedConnection = (inner: DatabaseConnection): Classified => ({
  inner,
  executeQuery: (query, options) => classified(() => inner.executeQuery(query, options), statementOf(query)),
  async *streamQuery(query, chunkSize, options) {
    try {
      yield* inner.streamQuery(query, chunkSize, options)
    } catch (error) {
      throw classify(error)
    }
  },
})

/**
 * After `shut`, the driver returns this connection. If `acquireConnection` rejected instead, Kysely would never release its lock on a store
 * with a single connection, and all later queries would hang.
 */
const closedConnection = classifiedConnection({
  executeQuery: () => Promise.reject(new Error('The store is already closed.')),
  streamQuery: () => {
    throw new Error('The store is already closed.')
  },
})

/** With `places`, callers queue for a connection in the order of their calls, instead of failing after a short wait in the pool. */
export function classifyingDialect(dialect: Dialect, places?: Places): ClassifyingDialect {
  const inner = dialect.createDriver()
  const connections = new WeakMap<DatabaseConnection, Classified>()
  let isShut = false

  /** Kysely compares connections by identity. */
  function wrapped(connection: DatabaseConnection): Classified {
    const known = connections.get(connection) ?? classifiedConnection(connection)
    connections.set(connection, known)
    return known
  }
  async function lend(options: Parameters<Driver['acquireConnection']>[0]): Promise<Classified> {
    await places?.take()
    try {
      return wrapped(await inner.acquireConnection(options))
    } catch (error) {
      places?.giveBack()
      throw error
    }
  }
  const innerOf = (connection: DatabaseConnection) => (connection as Classified).inner

  const driver: Driver = {
    init: options => classified(() => inner.init(options)),
    acquireConnection: options => (isShut ? Promise.resolve(closedConnection) : classified(() => lend(options))),
    beginTransaction: async (connection, settings) => {
      if (connection === closedConnection) return
      await classified(() => inner.beginTransaction(innerOf(connection), settings))
    },
    commitTransaction: connection => classified(() => inner.commitTransaction(innerOf(connection))),
    rollbackTransaction: async connection => {
      if (connection !== closedConnection) await classified(() => inner.rollbackTransaction(innerOf(connection)))
    },
    releaseConnection: async (connection, options) => {
      if (connection === closedConnection) return
      try {
        await inner.releaseConnection(innerOf(connection), options)
      } finally {
        places?.giveBack()
      }
    },
    destroy: options => inner.destroy(options),
  }

  return {
    createDriver: () => driver,
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: db => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    async shut() {
      isShut = true
      await driver.destroy()
    },
  }
}
