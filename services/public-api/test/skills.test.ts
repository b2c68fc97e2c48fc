import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send: OpenedResources['send'] = (method, path, ...rest) => opened.send(method, `/unstable/skills${path}`, ...rest)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')
const main = (name: string, more = '') => `---\nname: ${name}\ndescription: What it does 🙂.\n${more}---\n# ${name}\n`
const create = (name: string, ...files: readonly object[]) =>
  send('POST', '', { files: [{ path: 'SKILL.md', content: main(name) }, ...files] })

test('versions count up, with files by hash, labels that move and tags that are shared', async () => {
  const text = main('report', 'license: MIT\nnested: { a: [1, true] }\n')
  const script = 'print("ü")\n'
  const files = [
    { path: 'SKILL.md', content: text },
    { path: 'scripts/run.py', content: script },
  ]
  const made = await send('POST', '', { files, commitMessage: 'first' })
  const fileOf = (path: string, content: string, contentType: string) => ({
    ...{ id: expect.any(String), path, blobId: expect.any(String), sha256Hash: hashOf(content), contentType },
    contentLength: Buffer.byteLength(content),
  })
  const view = {
    ...{ id: expect.any(String), createdAt: time, updatedAt: time, projectId: 'project-0', createdBy: 'API', name: 'report' },
    ...{ description: 'What it does 🙂.', version: 1, tags: [], labels: ['latest'], commitMessage: 'first' },
    frontmatter: { name: 'report', description: 'What it does 🙂.', license: 'MIT', nested: { a: [1, true] } },
    files: [fileOf('SKILL.md', text, 'text/markdown'), fileOf('scripts/run.py', script, 'text/plain')],
  }
  expect([made.status, made.json]).toEqual([201, view])
  expect((await send('GET', '/report')).status).toBe(404)
  expect((await send('GET', '/report?label=latest')).json).toEqual(made.json)

  expect((await send('PATCH', '/report/versions/1', { labels: ['production', 'stable'] })).json.labels).toEqual([
    'production',
    'stable',
    'latest',
  ])
  expect((await send('PATCH', '/report', { tags: ['a', 'b', 'a'] })).json).toMatchObject({ version: 1, tags: ['a', 'b'] })
  const second = await send('POST', '', { files: [files[0], { path: 'again.py', sha256Hash: hashOf(script) }] })
  expect([second.status, second.json]).toMatchObject([201, { version: 2, tags: ['a', 'b'], labels: ['latest'], commitMessage: null }])
  expect(second.json.files[1].blobId).toBe(made.json.files[1].blobId)
  expect((await send('GET', '/report')).json).toMatchObject({ version: 1, labels: ['production', 'stable'] })
  expect((await send('PATCH', '/report/versions/2', { labels: ['production', 'latest'] })).json.labels).toEqual(['production', 'latest'])
  expect((await send('GET', '/report?version=1')).json.labels).toEqual(['stable'])
  expect((await send('GET', '/report')).json.version).toBe(2)
  expect((await send('GET', '/report?version=1&label=stable')).status).toBe(400)

  const listed = (await send('GET', '')).json
  expect(listed).toEqual({
    data: [
      {
        ...{ name: 'report', description: 'What it does 🙂.', tags: ['a', 'b'], latestVersion: 2, productionVersion: 2 },
        ...{ latestVersionCreatedAt: time, latestVersionLastUpdatedAt: time },
      },
    ],
    meta: { page: 1, limit: 50, totalItems: 1, totalPages: 1, hasNextPage: false },
  })
  expect((await send('DELETE', '/report/versions/2')).json).toEqual({ deleted: true })
  expect((await send('GET', '/report?label=latest')).json.version).toBe(1)
  expect((await send('DELETE', '/report/versions/2')).status).toBe(404)
  await send('DELETE', '/report/versions/1')
  expect((await send('GET', '')).json.data).toEqual([])
  expect((await create('report')).json).toMatchObject({ version: 1, tags: [] })
})

test('contents are found by their hashes, in the own project only', async () => {
  const [one, two] = ['content one', 'content two'].map(text => ({ text, hash: hashOf(text) }))
  await create('contents', { path: 'one', content: one!.text }, { path: 'two', content: two!.text })
  const query = [two!.hash, one!.hash, hashOf('unknown')].map(encodeURIComponent).join(',')
  const found = await send('GET', `/files/content?sha256Hashes=${query}`)
  const data = [two!, one!].map(({ text, hash }) => ({ sha256Hash: hash, content: text }))
  expect([found.status, found.json, found.headers['cache-control']]).toEqual([200, { data }, 'no-store'])
  expect((await send('POST', '/files/content', { sha256Hashes: [two!.hash, one!.hash] })).json).toEqual({ data })
  expect((await opened.sendOther('GET', `/unstable/skills/files/content?sha256Hashes=${query}`)).json).toEqual({ data: [] })
  expect((await send('GET', '/files/content')).status).toBe(400)
  expect((await send('GET', `/files/content?sha256Hashes=${Array(51).fill('a').join(',')}`)).status).toBe(400)
  const foreign = {
    files: [
      { path: 'SKILL.md', content: main('foreign') },
      { path: 'a', sha256Hash: one!.hash },
    ],
  }
  expect((await opened.sendOther('POST', '/unstable/skills', foreign)).status).toBe(404)
})

test('filters and pages apply to the list', async () => {
  await create('list-a')
  await create('list-b')
  await send('PATCH', '/list-b', { tags: ['tagged'] })
  const names = async (query: string) => (await send('GET', `?${query}`)).json.data.map(({ name }: { name: string }) => name)
  expect(await names('search=LIST')).toEqual(['list-a', 'list-b'])
  expect(await names('name=list-a')).toEqual(['list-a'])
  expect(await names('tag=tagged')).toEqual(['list-b'])
  expect(await names('search=list&limit=1&page=2')).toEqual(['list-b'])
  expect((await send('GET', '?search=list&limit=1')).json.meta).toMatchObject({ totalItems: 2, totalPages: 2, hasNextPage: true })
  expect(await names('fromUpdatedAt=2100-01-01T00:00:00Z')).toEqual([])
  expect(await names('search=list&toUpdatedAt=2100-01-01T00:00:00Z')).toEqual(['list-a', 'list-b'])
})

test('invalid skills are refused', async () => {
  const file = (content: string) => ({ files: [{ path: 'SKILL.md', content }] })
  const wrong = [
    { files: [] },
    { files: [{ path: 'README.md', content: main('a') }] },
    file('no front matter'),
    file('---\nname: a\n---\n'),
    file('---\nname: A\ndescription: b\n---\n'),
    file(`---\nname: ${'a'.repeat(65)}\ndescription: b\n---\n`),
    file('---\nname: a\ndescription: ""\n---\n'),
    file('---\n- a\n---\n'),
    file('---\nname: [\n---\n'),
    file('---\na: &a [1]\nb: *a\nname: a\ndescription: b\n---\n'),
    ...['/etc/passwd', '../a', 'a//b', 'a/', 'a/./b', 'a\\b', 'SKILL.md', ''].map(path => ({
      files: [
        { path: 'SKILL.md', content: main('a') },
        { path, content: '' },
      ],
    })),
  ]
  for (const body of wrong) expect((await send('POST', '', body)).status, JSON.stringify(body)).toBe(400)
  const unknown = { files: [{ path: 'SKILL.md', sha256Hash: hashOf('unknown') }] }
  expect((await send('POST', '', unknown)).status).toBe(404)
  expect((await send('PATCH', '/nothing', { tags: [] })).json).toEqual({ message: "Skill not found: 'nothing'", error: 'SvcNotFoundError' })
})

test('twenty concurrently created versions have the numbers 1 to 20', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => create('raced')))
  expect(made.map(({ json }) => json.version).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

test('feedback is validated and sent nowhere', async () => {
  const given = { targetType: 'docs', target: ' a page ', feedback: 'good', goal: null, referenceUrl: 'https://example.com' }
  const submit = (more: object) => opened.send('POST', '/feedback', { ...given, ...more })
  expect((await submit({})).json).toEqual({ message: 'This deployment has no recipient for feedback.', error: 'SvcConflictError' })
  const wrong = [
    { targetType: 'other thing' },
    { target: '  ' },
    { feedback: 'x'.repeat(3_001) },
    { goal: '' },
    { referenceUrl: 'javascript:alert(1)' },
    { unknown: 1 },
  ]
  for (const more of wrong) expect((await submit(more)).status, JSON.stringify(more)).toBe(400)
})
