// Runs the commands of docs/resources.md in order. Each block has its own shell.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createKeyStore } from '@svc-server/relational/key-store'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedResources, openResources } from './resources.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/resources.md'), 'utf8')
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)

let opened: OpenedResources
let desk: TemporaryDirectory
let variables: string
beforeAll(async () => {
  opened = await openResources()
  desk = await temporaryDirectory('svc-resources-page-')
  const keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId: 'project-0' } })
  variables = `API=http://127.0.0.1:${opened.api.port}/api/public\nKEYS=${publicKey}:${secretKey}\n`
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
  await desk.remove()
})

test('the API serves the request of every example', async () => {
  const strict = 'set -eo pipefail\ncurl() { command curl -sS --fail-with-body -w "\\n" "$@" || { echo "curl $*" >&2; exit 1; }; }\n'
  const script = `${variables}${strict}${blocks.join('\n')}`
  const environment = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: desk.path, env: environment }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${error.stderr}\n${error.stdout.slice(-2_000)}`)
    },
  )
  expect(stdout).toContain('"status":"COMPLETED"')
  expect((await readFile(join(desk.path, 'read.png'))).subarray(0, 68)).toEqual(await readFile(join(desk.path, 'dot.png')))
  const { data } = (await opened.send('GET', '/dataset-items?datasetName=folder%2Fqa')).json
  expect(data.map(({ id }: { readonly id: string }) => id).sort()).toEqual(['picture', 'q1', 'q2'])
  expect((await opened.send('GET', '/v2/prompts/support%2Fgreeting?version=1')).json.prompt).toBe('Hello {{name}}. Be brief.')
  expect((await opened.send('GET', '/annotation-queues')).json.data).toMatchObject([{ name: 'review' }])
  expect((await opened.send('GET', '/models/my-model')).json.modelName).toBe('my-model')
  expect((await opened.send('GET', '/comments?objectType=PROMPT')).json.data).toMatchObject([{ content: 'Too brief.' }])
})
