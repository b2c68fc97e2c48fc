// Runs the published Python client of v5, which is not modified, against the API. `python/walk.py` calls every operation of the client.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createKeyStore } from '@svc-server/relational/key-store'
import { temporaryDirectory } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { addPerson } from './people.ts'
import { awkwardNames, openResources } from './resources.ts'

const folder = join(import.meta.dirname, 'python')
const requirements = join(folder, 'requirements.txt')
const [packageName] = readFileSync(requirements, 'utf8').split('==')

async function run(command: string, given: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, given, { stdio: 'pipe' })
  child.stdin.end(input)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), new Promise(done => child.once('close', done))])
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${err}`)
  return out
}

test('the client calls every operation and parses each response', { timeout: 600_000 }, async () => {
  const directory = await temporaryDirectory('svc-python-')
  await run('python3', ['-m', 'venv', directory.path])
  const inside = (program: string) => join(directory.path, 'bin', program)
  await run(inside('pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', requirements])
  await using opened = await openResources()
  const keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  const pairs = [await keys.createKeyPair({ owner: { projectId: 'project-0' } }), await keys.createKeyPair({ owner: { orgId: 'org' } })]
  const { id } = await addPerson(opened.store, 'person@example.com', 'MEMBER')
  // Gives the person a name. The contract allows a membership whose user has no name (§19.3), but this client cannot parse it.
  await opened.store.db.updateTable('users').set({ name: 'A Person' }).where('id', '=', id).execute()
  const given = [packageName!, `http://127.0.0.1:${opened.api.port}`, id, ...pairs.flatMap(pair => [pair.publicKey, pair.secretKey])]
  const said = await run(inside('python'), [join(folder, 'walk.py'), ...given], JSON.stringify(awkwardNames))
  expect(Number.parseInt(said, 10)).toBeGreaterThan(90)
  await directory.remove()
})
