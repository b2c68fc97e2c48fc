// The fixture is an application that compiles with the published SDK v5. The suite tools/sdk/packed.test.ts compiles the codemod's result
// with v6.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { namesIn } from '../../libs/api/src/operation.ts'
import { operations } from '../../libs/api/src/operations.ts'
import { upgradeManifest } from './manifest.ts'
import { projectOf } from './project.ts'
import { removedOfApi, removedOfClient, renamedOfApi, renamedOfClient } from './removed.ts'
import { moveScope } from './scope.ts'
import { upgrade } from './upgrade.ts'

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
const moved = (text: string) => moveScope(projectOf({ '/app.ts': text })[0]!, '@langfuse')
const upgraded = (text: string) => upgrade(projectOf({ '/app.ts': text })[0]!)

test('an application of v5 under another scope becomes one of v6', async () => {
  const { text, left } = upgraded(moved(readFileSync(fixture('moves.before.txt'), 'utf8')))
  await expect(text).toMatchFileSnapshot(fixture('moves.after.txt'))
  expect(left).toEqual([])
})

test('code that needs a decision by a person is marked in place', async () => {
  const { text, left } = upgraded(readFileSync(fixture('left.before.txt'), 'utf8'))
  await expect(text).toMatchFileSnapshot(fixture('left.after.txt'))
  expect(left).toHaveLength(text.split('SDK v6').length - 1)
})

test.each(['moves', 'left'])('a second run makes no changes: %s', name => {
  const text = readFileSync(fixture(`${name}.after.txt`), 'utf8')
  expect(moved(text)).toBe(text)
  expect(upgraded(text).text).toBe(text)
})

const withClient = (call: string) => `import { SvcClient } from '@svc/client'\nconst client = new SvcClient()\n${call}\n`

describe('every method that changed', () => {
  const empty = operations.filter(each => each.emptyRequest)
  test('the 41 take {} before their options, once', () => {
    expect(empty).toHaveLength(41)
    for (const { id, path } of empty) {
      const given = namesIn(path).map(name => `'${name}'`)
      const call = (...more: readonly string[]) => withClient(`client.api.${id}(${[...given, ...more].join(', ')})`)
      expect(upgraded(call('{ maxRetries: 0 }')).text).toBe(call('{}', '{ maxRetries: 0 }'))
      expect(upgraded(call('{}', 'options')).text).toBe(call('{}', 'options'))
      expect(upgraded(call()).text).toBe(call())
    }
  })

  test('renames members of the client', () => {
    for (const [name, other] of Object.entries(renamedOfClient))
      expect(upgraded(withClient(`client.${name}`)).text).toBe(withClient(`client.${other}`))
    for (const name of Object.keys(removedOfClient)) expect(upgraded(withClient(`client.${name}()`)).left).toHaveLength(1)
  })

  test('renames members below api', () => {
    for (const [name, other] of Object.entries(renamedOfApi))
      expect(upgraded(withClient(`client.api.${name}`)).text).toBe(withClient(`client.api.${other}`))
    for (const [name] of removedOfApi) expect(upgraded(withClient(`client.api.${name}()`)).left).toHaveLength(1)
  })
})

test('methods of other objects stay unchanged', () => {
  const other = `const client = getPrompts()\nclient.getPrompt('a')\nlist.link({ to: 'a' })\nclient.api.scores.create({ name: 'a' })\n`
  expect(upgraded(other)).toEqual({ text: other, changed: [], left: [] })
})

test('a client created in one file is recognized in other files, even in JavaScript', () => {
  const [, user] = projectOf({
    '/client.js': `import { SvcClient } from '@svc/client'\nexport const client = new SvcClient()\n`,
    '/use.js': `import { client } from './client.js'\nawait client.api.scores.create({ name: 'a', value: 1 })\n`,
  })
  expect(upgrade(user!).text).toContain(`create([{ name: 'a', value: 1 }])`)
})

test('versions in package.json', () => {
  const manifest = `{ "dependencies": { "@langfuse/client": "^5.1.0", "@langfuse/langchain": "5", "@langchain/core": "^0.3.8", "zod": "^4" } }`
  expect(upgradeManifest(manifest, '@langfuse')).toBe(
    `{ "dependencies": { "@svc/client": "^6.0.0", "@svc/langchain": "^6.0.0", "@langchain/core": "^1.0.0", "zod": "^4" } }`,
  )
  expect(upgradeManifest('{ "dependencies": { "zod": "^4" } }', undefined)).toBeUndefined()
})
