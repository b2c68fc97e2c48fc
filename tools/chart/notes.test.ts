// What an install prints: the next step for these values. helm prints it only where a cluster is; here it is rendered as the value of an object.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chartFolder, evaluationValues, example, helm } from './helm.ts'

const copy = mkdtempSync(join(tmpdir(), 'svc-notes-'))
beforeAll(() => {
  cpSync(chartFolder, copy, { recursive: true })
  const notes = readFileSync(join(chartFolder, 'templates/NOTES.txt'), 'utf8')
  rmSync(join(copy, 'templates/NOTES.txt'))
  writeFileSync(join(copy, 'templates/notes.yaml'), `{{- define "notes" }}${notes}{{ end -}}\nnotes: {{ include "notes" . | quote }}\n`)
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

async function notesOf(values: string, ...more: readonly string[]): Promise<string> {
  const release = ['template', 'traces', copy, '--namespace', 'tracing', '--kube-version', '1.33.0']
  const { ok, output } = await helm(...release, '--show-only', 'templates/notes.yaml', '--values', values, ...more)
  if (!ok) throw new Error(output)
  return (parse(output) as { readonly notes: string }).notes
}

test('an evaluation is told how its first span is sent and seen, and that it keeps nothing', async () => {
  const notes = await notesOf(evaluationValues)
  expect(notes).toContain('FOR EVALUATION ONLY')
  expect(notes).toContain('get secret traces-svc-evaluation')
  expect(notes).toMatch(/exec traces-svc-clickhouse-0 .*FROM svc\.events_core/)
})

test('other stores are asked by the name of their database, and with a certificate the port speaks TLS', async () => {
  const plain = await notesOf(example('small'))
  expect(plain).toMatch(/curl -u .* http:\/\/127\.0\.0\.1:3000/)
  expect(plain).toContain('SELECT name, start_time FROM svc.events_core')
  expect(plain).toContain('Next step: have it watched')
  expect(await notesOf(example('small'), '--set', 'tls.existingSecret.name=public')).toMatch(/curl -k -u .* https:\/\/127\.0\.0\.1:3000/)
})

test.each(['ha', 'events-only', 'dual'])('%s: no template is left in it, and dual says what comes after', async name => {
  const notes = await notesOf(example(name))
  expect(notes).not.toMatch(/\{\{|<no value>|%!/)
  expect(notes.includes('set\n   migration.writeMode to events_only')).toBe(name === 'dual')
})
