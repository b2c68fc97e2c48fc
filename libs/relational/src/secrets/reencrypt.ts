// After a change of the encryption key, re-encrypts all secrets, so that the previous key can be discarded.
import { instance, type Store } from '../tenancy/handles.ts'
import { sql } from '../tenancy/sql.ts'

interface EncryptedColumns {
  readonly table: string
  readonly key: string
  readonly columns: readonly string[]
}

const encrypted: readonly EncryptedColumns[] = [
  { table: 'llm_api_keys', key: 'id', columns: ['secret_key', 'extra_headers'] },
  { table: 'blob_storage_integrations', key: 'project_id', columns: ['secret_access_key'] },
]

export interface Reencryption {
  readonly checked: number
  readonly changed: number
}

interface Secret {
  readonly id: string
  readonly text: string
}

/**
 * `again` encrypts a secret with the current key, or returns undefined if the secret is already encrypted with this key. If a client
 * changes a secret during the run, the client's new value stays.
 */
export async function reencryptSecrets(store: Store, again: (encrypted: string) => string | undefined): Promise<Reencryption> {
  const all = instance(store)
  let [checked, changed] = [0, 0]
  for (const { table, key, columns } of encrypted) {
    for (const column of columns) {
      const [from, id, text] = [sql.table(table), sql.ref(key), sql.ref(column)]
      for (const found of await all.run<Secret>(sql<Secret>`select ${id} as id, ${text} as text from ${from} where ${text} is not null`)) {
        checked++
        const anew = again(found.text)
        if (anew === undefined) continue
        const change = sql<Secret>`update ${from} set ${text} = ${anew} where ${id} = ${found.id} and ${text} = ${found.text} returning ${id} as id`
        changed += (await all.run<Secret>(change)).length
      }
    }
  }
  return { checked, changed }
}
