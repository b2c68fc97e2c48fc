// Tests the notes that helm prints after an installation. The notes must name the next step, which depends on the values.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { evaluationValues, example } from './helm.ts'
import { copyWithNotes, notesOf as notesOfRelease } from './notes.ts'

const copy = mkdtempSync(join(tmpdir(), 'svc-notes-'))
beforeAll(() => copyWithNotes(copy))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const notesOf = (values: string, ...more: readonly string[]) => notesOfRelease(copy, 'traces', '--values', values, ...more)

test('notes of a trial installation explain how to send and see the first span, and that it does not keep data', async () => {
  const notes = await notesOf(evaluationValues)
  expect(notes).toContain('FOR EVALUATION ONLY')
  expect(notes).toContain('get secret traces-svc-evaluation')
  expect(notes).toMatch(/exec traces-svc-clickhouse-0 .*FROM svc\.events_core/)
})

test('notes name the database of external stores, and use TLS with a certificate', async () => {
  const plain = await notesOf(example('small'))
  expect(plain).toMatch(/curl .*-u .* http:\/\/127\.0\.0\.1:3000/)
  expect(plain).toContain('SELECT name, start_time FROM svc.events_core')
  expect(plain).toContain('Next step: enable monitoring.podMonitor')
  expect(await notesOf(example('small'), '--set', 'tls.existingSecret.name=public')).toMatch(/curl .*-k -u .* https:\/\/127\.0\.0\.1:3000/)
})

test.each(['ha', 'events-only', 'dual'])('%s: the notes contain no template, and with dual they name the next step', async name => {
  const notes = await notesOf(example(name))
  expect(notes).not.toMatch(/\{\{|<no value>|%!/)
  expect(notes.includes('set migration.writeMode to events_only')).toBe(name === 'dual')
})
