// Stores blocks in the real engine. The engine rejects a block with a wrong byte layout.
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'
import type { ColumnSpec } from '../../src/native/index.ts'

export interface NativeEngine {
  command(sql: string): void
  query(sql: string): Record<string, unknown>[]
  /** Runs a statement without FORMAT. */
  ask(sql: string): string
  insert(
    table: string,
    columns: readonly string[],
    parts: readonly Uint8Array[],
    settings?: Readonly<Record<string, string | number>>,
  ): void
  /** Stores the block in a new table, and returns the table's rows in order. */
  roundTrip(specs: readonly ColumnSpec[], parts: readonly Uint8Array[]): Record<string, unknown>[]
  close(): Promise<void>
}

export async function nativeEngine(): Promise<NativeEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'native-block-'))
  const session = new Session(join(directory, 'engine'))
  session.query('CREATE DATABASE t')
  let tables = 0

  const command = (sql: string) => {
    session.query(sql)
  }

  const query: NativeEngine['query'] = sql =>
    String(session.query(`${sql} SETTINGS output_format_json_quote_64bit_integers = 1`, 'JSONEachRow'))
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))

  const insert: NativeEngine['insert'] = (table, columns, parts, settings = {}) => {
    const file = join(directory, 'block.native')
    writeFileSync(file, Buffer.concat(parts))
    const list = Object.entries(settings).map(([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`)
    const given = list.length === 0 ? '' : `SETTINGS ${list.join(', ')}`
    command(`INSERT INTO ${table} (${columns.join(', ')}) FROM INFILE '${file}' COMPRESSION 'none' ${given} FORMAT Native`)
  }

  return {
    command,
    query,
    ask: sql => String(session.query(sql)),
    insert,

    roundTrip(specs, parts) {
      const table = `t.block_${tables++}`
      const definitions = specs.map(({ name, type }) => `${name} ${type.replaceAll('DateTime64(6)', "DateTime64(6, 'UTC')")}`)
      command(`CREATE TABLE ${table} (${definitions.join(', ')}) ENGINE = Memory`)
      const names = specs.map(({ name }) => name)
      insert(table, names, parts)
      const rows = query(`SELECT * FROM ${table}`)
      command(`DROP TABLE ${table}`)
      return rows
    },

    async close() {
      session.cleanup()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
