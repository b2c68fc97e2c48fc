// Checks the compose files with Docker Compose's library, and the Dockerfile with a linter. It needs no Docker engine.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureProgram } from '../programs/programs.ts'

const root = resolve(import.meta.dirname, '../..')
const directory = mkdtempSync(join(tmpdir(), 'svc-compose-'))
beforeAll(() => ensureProgram('compose'), 1_500_000)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Fills in a value for every variable. The suite tools/images/compose.test.ts checks which secrets are required. */
const filledIn = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/\$\{\w+:[^}]*\}/g, '0123456789abcdef')

async function compose(file: string, text = filledIn(file)): Promise<{ readonly ok: boolean; readonly said: string }> {
  writeFileSync(join(directory, 'docker-compose.yml'), filledIn('docker-compose.yml'))
  writeFileSync(join(directory, file), text)
  const program = await ensureProgram('compose')
  return promisify(execFile)(program, ['-format', 'json', file], { cwd: directory }).then(
    ({ stdout }) => ({ ok: true, said: stdout }),
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => ({ ok: false, said: stdout + stderr }),
  )
}

test.each([
  ['docker-compose.yml', 16],
  ['docker-compose.dev.yml', 3],
])('%s conforms to the Compose Specification', async (file, services) => {
  const { ok, said } = await compose(file)
  expect([ok, said]).toEqual([true, expect.stringContaining('"services"')])
  const model = JSON.parse(said) as { readonly services: Readonly<Record<string, unknown>> }
  expect(Object.keys(model.services)).toHaveLength(services)
})

test.each([
  ['a misspelled key', '    restart: unless-stopped', '    restarts: unless-stopped', 'restarts'],
  ['a list where a mapping must be', 'interval: 5s', 'interval: [5s]', 'interval'],
])('finds a violation: %s', async (_, from, to, named) => {
  const text = filledIn('docker-compose.yml')
  expect(text).toContain(from)
  expect(await compose('docker-compose.yml', text.replace(from, to))).toEqual({ ok: false, said: expect.stringContaining(named) })
})

test('the linter finds no problem in the Dockerfile', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  expect(validate(dockerfile)).toEqual([])
  expect(validate(dockerfile.replace('WORKDIR', 'WORKDIRECTORY'))).not.toEqual([])
})
