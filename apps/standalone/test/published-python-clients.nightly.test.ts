// The published Python SDK v5 writes data to an instance through a brand alias, and reads the data back (`python/reads.py`). In the
// write mode `events_only`, the SDK reads with the v2 operations. In the write mode `dual`, the SDK reads with the legacy operations.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicKey, secretKey } from './instance.ts'
import { fileHasAnInstance, ports, start } from './restarted.ts'

fileHasAnInstance()

const folder = join(import.meta.dirname, 'python')
const requirements = join(folder, 'requirements.txt')
const [packageName = ''] = readFileSync(requirements, 'utf8').split('==')
const run = promisify(execFile)

let environment: TemporaryDirectory
const inside = (program: string) => join(environment.path, 'bin', program)
beforeAll(async () => {
  environment = await temporaryDirectory('svc-python-')
  await run('python3', ['-m', 'venv', environment.path])
  await run(inside('pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', requirements])
}, 600_000)
afterAll(() => environment.remove())

test.each([
  ['events_only', 'direct', 'v2'],
  ['dual', 'dual_write', 'legacy'],
] as const)(
  'on %s',
  async (writeMode, behaviour, operations) => {
    const settings = { SVC_BRAND_ALIASES: packageName, SVC_PROPAGATION_WINDOW_SECONDS: '2', SVC_PROPAGATION_GRACE_MS: '500' }
    const instance = await start({ writeMode, behaviour, optIn: 'true' }, settings)
    const given = [packageName, `http://127.0.0.1:${ports.PORT}`, publicKey, secretKey, operations]
    const { stdout } = await run(inside('python'), [join(folder, 'reads.py'), ...given], { timeout: 300_000 })
    expect(stdout).toBe('read\n')
    expect(await instance.end('SIGTERM')).toBe(0)
  },
  600_000,
)
