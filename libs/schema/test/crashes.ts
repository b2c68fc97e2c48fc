// Kills a migrating process before some of its commands. Then runs the migration again and checks the result.
import { expect } from 'vitest'
import { migrateColumnStore } from '../src/migrations/migrate.ts'
import type { ColumnStorePort } from '../src/migrations/port.ts'
import type { Engine } from './engine.ts'
import { makeFormerStore, makeV3Store } from './stores.ts'

interface Journey {
  /** Brings the empty database into the state from which the migration starts. */
  prepare(engine: Engine, database: string): Promise<unknown>
  readonly targets: { readonly target?: number; readonly ownTarget?: number }
}

const newest = (engine: Engine, database: string) => migrateColumnStore(engine, { database, clustered: false })

const ways = {
  'a new store': { prepare: async () => undefined, targets: {} },
  'v3 to the newest': { prepare: makeV3Store, targets: {} },
  'a former release to the newest': { prepare: makeFormerStore, targets: {} },
  'the newest to v3': { prepare: newest, targets: { target: 37 } },
  'all that is ours': { prepare: newest, targets: { target: 37, ownTarget: 0 } },
  'a former release to v3': { prepare: makeFormerStore, targets: { target: 37 } },
} satisfies Readonly<Record<string, Journey>>

export const journeys = Object.keys(ways) as readonly (keyof typeof ways)[]

/** Fails before the n-th command, as if the process had been killed there. */
function dyingPort(engine: Engine, n: number): ColumnStorePort {
  let left = n
  return {
    ...engine,
    command: async sql => {
      if (left-- === 0) throw new Error('killed')
      return engine.command(sql)
    },
  }
}

const schemaOf = async (engine: Engine, database: string) => ({
  tables: await engine.query(`SELECT name, engine_full, sorting_key FROM system.tables WHERE database = '${database}' ORDER BY name`),
  columns: await engine.query(`SELECT table, name, type FROM system.columns WHERE database = '${database}' ORDER BY table, position`),
  version: await engine.query(`SELECT version, dirty FROM ${database}.schema_migrations ORDER BY sequence DESC LIMIT 1`),
})

let number = 0

/**
 * Tests a migration on several new stores, one after the other. On the first store, the migration is killed before the command with number
 * `first`. On each further store, this number is higher by `stride`. After each kill, the migration runs again and must then complete.
 */
export async function crashAnywhere(engine: Engine, name: keyof typeof ways, stride: number, first = 0): Promise<void> {
  const { prepare, targets }: Journey = ways[name]
  const store = async () => {
    const database = `crash_${number++}`
    await engine.command(`CREATE DATABASE ${database}`)
    await prepare(engine, database)
    return database
  }
  const whole = await store()
  let commands = 0
  const counting: ColumnStorePort = {
    ...engine,
    command(sql) {
      commands++
      return engine.command(sql)
    },
  }
  await migrateColumnStore(counting, { database: whole, clustered: false, ...targets })
  const want = await schemaOf(engine, whole)

  for (let n = first; n < commands; n += stride) {
    const database = await store()
    const options = { database, clustered: false, ...targets }
    await expect(migrateColumnStore(dyingPort(engine, n), options)).rejects.toThrow('killed')
    await migrateColumnStore(engine, options)
    expect(await schemaOf(engine, database), `killed before command ${n}`).toEqual(want)
    expect(await migrateColumnStore(engine, options)).toEqual([])
    await engine.command(`DROP DATABASE ${database}`)
  }
}
