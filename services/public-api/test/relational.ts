import { openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import { preparedDirectory } from '@svc-server/testkit'

const openIn = (directory: string) => openRelationalStore({ kind: 'embedded', directory })

export async function openRelational(directory: string): Promise<RelationalStore> {
  await preparedDirectory('relational', directory, async path => (await openIn(path)).close())
  return openIn(directory)
}
