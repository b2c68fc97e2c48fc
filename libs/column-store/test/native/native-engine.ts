// The real engine reading real blocks: what it stores is the only proof that a byte layout is right.
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'
import type { ColumnSpec } from '../../src/native/index.ts'

export interface NativeEngine {
  /** Stores the block in a new table of these columns and gives the rows back in order. */
  roundTrip(specs: readonly ColumnSpec[], parts: readonly Uint8Array[]): Record<string, unknown>[]
  close(): Promise<void>
}

export async function nativeEngine(): Promise<NativeEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'native-block-'))
  const session = new Session(join(directory, 'engine'))
  session.query('CREATE DATABASE t')
  let tables = 0

  return {
    roundTrip(specs, parts) {
      const table = `t.block_${tables++}`
      const file = join(directory, 'block.native')
      writeFileSync(file, Buffer.concat(parts))
      const definitions = specs.map(({ name, type }) => `${name} ${type.replaceAll('DateTime64(6)', "DateTime64(6, 'UTC')")}`)
      session.query(`CREATE TABLE ${table} (${definitions.join(', ')}) ENGINE = Memory`)
      const names = specs.map(spec => spec.name).join(', ')
      session.query(`INSERT INTO ${table} (${names}) FROM INFILE '${file}' COMPRESSION 'none' FORMAT Native`)
      const answer = session.query(`SELECT * FROM ${table} SETTINGS output_format_json_quote_64bit_integers = 1`, 'JSONEachRow')
      session.query(`DROP TABLE ${table}`)
      return String(answer)
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line))
    },

    async close() {
      session.cleanup()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
