import { afterAll, beforeAll, expect, test } from 'vitest'
import { awkwardNames, type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send: OpenedResources['send'] = (...request) => opened.send(...request)
const create = (name: string, more: object = {}) => send('POST', '/v2/prompts', { name, prompt: `text of ${name}`, ...more })
const at = (name: string, query = '') => `/v2/prompts/${encodeURIComponent(name)}${query}`
const time = expect.stringMatching(/Z$/)

test('a text prompt is read back with every field; the next version inherits its tags', async () => {
  const fields = {
    config: { temperature: 0.1, deep: [null, 'ü'] },
    labels: ['production', 'a.b_c-1'],
    tags: ['x', 'ü'],
    commitMessage: 'first',
  }
  const made = await create('fields', fields)
  const told = {
    ...{
      id: expect.any(String),
      projectId: 'project-0',
      createdBy: 'API',
      name: 'fields',
      version: 1,
      type: 'text',
      prompt: 'text of fields',
    },
    ...{ ...fields, labels: ['production', 'a.b_c-1', 'latest'], createdAt: time, updatedAt: time, isActive: true, resolutionGraph: null },
  }
  expect([made.status, made.json]).toEqual([201, told])
  expect((await send('GET', at('fields'))).json).toEqual(made.json)
  const second = await create('fields', { type: 'text' })
  expect(second.json).toMatchObject({ version: 2, labels: ['latest'], tags: ['x', 'ü'], config: {}, commitMessage: null, isActive: false })
  expect((await send('GET', at('fields', '?version=1'))).json).toMatchObject({ labels: ['production', 'a.b_c-1'] })
  expect((await send('GET', at('fields', '?label=latest'))).json.version).toBe(2)
  await create('fields', { tags: [] })
  expect((await send('GET', at('fields'))).json.tags).toEqual([])
  expect(await opened.audit(made.json.id)).toEqual(['create prompt'])
})

test('a chat prompt keeps its messages with extra keys, and each message gets a type', async () => {
  const prompt = [
    { role: 'system', content: 'You are {{who}}.', cache: { ttl: 1 } },
    { type: 'placeholder', name: 'history' },
    { type: 'chatmessage', role: 'user', content: '' },
  ]
  const made = await create('chat', { type: 'chat', prompt, labels: ['production'] })
  expect(made.json).toMatchObject({ type: 'chat', prompt: [{ ...prompt[0], type: 'chatmessage' }, prompt[1], prompt[2]] })
  expect((await send('GET', at('chat'))).json.prompt).toEqual(made.json.prompt)
  expect((await create('chat', { type: 'text' })).status).toBe(400)
  expect((await create('other chat', { type: 'chat', prompt: [prompt[0], { type: 'placeholder', name: 'who' }] })).status).toBe(400)
})

test.each([...awkwardNames, 'a/b/c'])('a prompt named %s is read back', async name => {
  const made = await create(name, { labels: ['production'] })
  expect([made.status, made.json.name]).toEqual([201, name])
  expect((await send('GET', at(name))).json).toEqual(made.json)
  expect((await send('GET', `/prompts?name=${encodeURIComponent(name)}`)).json).toEqual(made.json)
  expect((await send('GET', `/v2/prompts?name=${encodeURIComponent(name)}`)).json.data).toMatchObject([{ name, versions: [1] }])
  expect((await send('PATCH', `${at(name)}/versions/1`, { newLabels: ['x'] })).json.labels).toContain('x')
  expect((await opened.sendOther('GET', at(name))).status).toBe(404)
  expect((await opened.sendOther('DELETE', at(name))).status).toBe(404)
  const gone = await send('DELETE', at(name))
  expect([gone.status, gone.text]).toEqual([204, ''])
  expect((await send('GET', at(name))).status).toBe(404)
})

test('labels move between versions, and latest is on the newest existing version', async () => {
  for (const labels of [['production'], ['staging'], []]) await create('moving', { labels })
  const labelsOf = async (version: number) => (await send('GET', at('moving', `?version=${version}`))).json.labels
  const moved = await send('PATCH', `${at('moving')}/versions/2`, { newLabels: ['production'] })
  expect([moved.status, moved.json.labels]).toEqual([200, ['staging', 'production']])
  expect([await labelsOf(1), await labelsOf(3)]).toEqual([[], ['latest']])
  expect((await send('PATCH', `${at('moving')}/versions/1`, { newLabels: ['latest'] })).status).toBe(400)
  const unknown = await send('PATCH', `${at('moving')}/versions/9`, { newLabels: ['a'] })
  expect([unknown.status, unknown.json.message]).toEqual([404, "Prompt 'moving' version 9 not found in project"])
  await send('DELETE', at('moving', '?version=3'))
  expect(await labelsOf(2)).toContain('latest')
  expect((await send('DELETE', at('moving', '?label=nothing'))).status).toBe(404)
  expect((await send('DELETE', at('moving', '?label=a&version=1'))).status).toBe(400)
})

test('concurrently created versions have distinct numbers without gaps', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => create('at once')))
  expect(made.map(({ json }) => json.version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('a read replaces references to other prompts with their current text', async () => {
  const { json: leaf } = await create('leaf', { prompt: 'leaf one', labels: ['production'] })
  const text = 'see @@@svcPrompt:name=leaf|label=production@@@ and @@@svcPrompt:name=leaf|version=1@@@'
  const { json: root } = await create('root', { prompt: text, labels: ['production'] })
  const resolved = await send('GET', at('root'))
  const child = { id: leaf.id, name: 'leaf', version: 1 }
  expect(resolved.json).toMatchObject({
    prompt: 'see leaf one and leaf one',
    resolutionGraph: { root: { id: root.id, name: 'root', version: 1 }, dependencies: { [root.id]: [child] } },
  })
  expect((await send('GET', at('root', '?resolve=false'))).json).toMatchObject({ prompt: text, resolutionGraph: null })
  const tag = resolved.headers['etag'] as string
  const again = (etag: string) => send('GET', at('root'), undefined, { headers: { 'if-none-match': etag } })
  const known = await again(`"other", W/${tag}`)
  expect([known.status, known.text, known.headers['etag'], resolved.headers['cache-control']]).toEqual([304, '', tag, 'private, no-cache'])
  await create('leaf', { prompt: 'leaf two', labels: ['production'] })
  const changed = await again(tag)
  expect([changed.status, changed.json.prompt]).toEqual([200, 'see leaf two and leaf one'])
  expect(changed.headers['etag']).not.toBe(tag)
  expect(
    (await opened.api.send('GET', `/api/public${at('root')}`, { authorization: null, headers: { 'if-none-match': tag } })).status,
  ).toBe(401)

  expect((await send('DELETE', at('leaf'))).status).toBe(400)
  expect((await create('leaf', { prompt: '@@@svcPrompt:name=root|label=production@@@' })).json.message).toMatch(/[Cc]ircular/)
  expect((await create('lost', { prompt: '@@@svcPrompt:name=nothing|version=1@@@' })).status).toBe(400)
})

test('removing a label changes nothing else', async () => {
  await create('labeled', { labels: ['a', 'b'] })
  const label = (name: string, version = 1) => at('labeled', `/versions/${version}/labels/${name}`)
  const taken = await send('DELETE', label('a'))
  expect([taken.status, taken.json.labels]).toEqual([200, ['b', 'latest']])
  expect((await send('GET', at('labeled', '?label=b'))).json.labels).toEqual(['b', 'latest'])
  expect((await send('GET', at('labeled', '?label=a'))).status).toBe(404)
  expect([(await send('DELETE', label('a'))).status, (await send('DELETE', label('b', 2))).status]).toEqual([404, 404])
  expect((await send('DELETE', label('latest'))).status).toBe(400)
  expect((await opened.sendOther('DELETE', label('b'))).status).toBe(404)
  await create('refers', { prompt: '@@@svcPrompt:name=labeled|label=b@@@' })
  expect((await send('DELETE', label('b'))).json.message).toContain('refers version 1')
  expect((await send('GET', at('labeled', '?label=b'))).status).toBe(200)
})

test('with If-Match, labels change only if the prompt has not changed since it was read', async () => {
  await create('guarded', { labels: ['production'] })
  await create('guarded')
  const read = async () => (await send('GET', at('guarded', '?version=2'))).headers['etag'] as string
  const move = (tag: string) =>
    send(
      'PATCH',
      at('guarded', '/versions/2'),
      { newLabels: ['production', `of-${tag.slice(1, 4).toLowerCase()}`] },
      { headers: { 'if-match': tag } },
    )
  const first = await read()
  expect((await move(first)).status).toBe(200)
  const stale = await move(first)
  expect([stale.status, stale.json.message]).toEqual([412, expect.stringContaining('has changed since it was read')])
  const drop = (tag: string) => send('DELETE', at('guarded', '/versions/2/labels/production'), undefined, { headers: { 'if-match': tag } })
  expect((await drop(first)).status).toBe(412)
  expect((await drop(`"other", ${await read()}`)).status).toBe(200)
  expect((await send('PATCH', at('guarded', '/versions/2'), { newLabels: ['x'] }, { headers: { 'if-match': '*' } })).status).toBe(200)
  // All ten clients have read the same state. Only one of their changes succeeds.
  const tag = await read()
  const answers = await Promise.all(Array.from({ length: 10 }, () => move(tag)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
})

test('lists have one row per name, and a second copy of the page information', async () => {
  await create('listed/a', { labels: ['production'], tags: ['listed'], config: { v: 1 } })
  await create('listed/a', { config: { v: 2 } })
  await create('listed/b', { tags: ['listed'] })
  const { json } = await send('GET', '/v2/prompts?tag=listed')
  expect(json.data).toEqual([
    {
      name: 'listed/a',
      type: 'text',
      versions: [1, 2],
      labels: ['latest', 'production'],
      tags: ['listed'],
      lastUpdatedAt: time,
      lastConfig: { v: 2 },
    },
    { name: 'listed/b', type: 'text', versions: [1], labels: ['latest'], tags: ['listed'], lastUpdatedAt: time, lastConfig: {} },
  ])
  expect([json.meta, json.pagination]).toEqual([{ page: 1, limit: 10, totalItems: 2, totalPages: 1 }, json.meta])
  const names = async (query: string) =>
    (await send('GET', `/v2/prompts?${query}`)).json.data.map(({ name }: { readonly name: string }) => name)
  expect(await names('tag=listed&limit=1&page=2')).toEqual(['listed/b'])
  expect(await names('tag=listed&label=production')).toEqual(['listed/a'])
  expect(await names('tag=listed&fromUpdatedAt=2099-01-01T00:00:00Z')).toEqual([])
  const filter = JSON.stringify([{ type: 'string', column: 'name', operator: 'starts with', value: 'listed/' }])
  for (const digits of ['12345678901234567890', '1e300', '2.00000000000000000001', '1.5']) {
    const below = `[${filter.slice(1, -1)},{"type":"number","column":"version","operator":"<","value":${digits}}]`
    expect(await names(`filter=${encodeURIComponent(below)}`), digits).toEqual(['listed/a', 'listed/b'])
  }
  expect(await names(`name=ignored&filter=${encodeURIComponent(filter)}`)).toEqual(['listed/a', 'listed/b'])
  for (const wrong of ['{', '{}', '[1]', '[{"type":"string","column":"nothing","operator":"=","value":"a"}]']) {
    expect((await send('GET', `/v2/prompts?filter=${encodeURIComponent(wrong)}`)).status, wrong).toBe(400)
  }
})

test('a 404 names the prompt, version or label that is missing', async () => {
  await create('there')
  const messages = await Promise.all(
    ['', '?version=7', '?label=none'].map(async query => (await send('GET', at('there', query))).json.message),
  )
  expect(messages).toEqual([
    "Prompt not found: 'there' with label 'production'",
    "Prompt not found: 'there' with version 7",
    "Prompt not found: 'there' with label 'none'",
  ])
  for (const query of ['?version=1&label=a', '?version=x', '?resolve=maybe'])
    expect((await send('GET', at('there', query))).status, query).toBe(400)
})

test.each([
  { name: '' },
  { name: 'new' },
  { name: '/a' },
  { name: 'a//b' },
  { name: 'a|b' },
  { name: '<b>a</b>' },
  { name: 'x'.repeat(256) },
  { labels: ['Upper'] },
  { labels: ['x'.repeat(37)] },
  { prompt: 1 },
  { prompt: undefined },
  { type: 'chat' },
  { type: 'chat', prompt: [{ role: 'user' }] },
  { commitMessage: '' },
  { commitMessage: 'x'.repeat(501) },
])('%j is refused', async wrong => {
  expect((await create('wrong', wrong)).status).toBe(400)
})

test('the route before v2 returns the production version as active', async () => {
  const made = await send('POST', '/prompts', { name: 'former', prompt: 'p', isActive: true })
  expect([made.status, made.json.labels]).toEqual([201, ['production', 'latest']])
  expect((await send('GET', '/prompts?name=former')).json).toEqual(made.json)
  await send('POST', '/prompts', { name: 'former', prompt: 'q', isActive: false })
  expect((await send('GET', '/prompts?name=former')).json.prompt).toBe('p')
  expect((await send('GET', '/prompts?name=former&version=2')).json.prompt).toBe('q')
  expect((await send('GET', '/prompts')).status).toBe(400)
})

test('a read that begins after an acknowledged change sees it, despite refused changes and many readers', async () => {
  await create('fresh part', { labels: ['production'] })
  await create('fresh', { prompt: '@@@svcPrompt:name=fresh part|label=production@@@', labels: ['production'] })
  let answered = 0
  let isOver = false
  const reading = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const least = answered
      const [whole, part] = await Promise.all([send('GET', at('fresh')), send('GET', at('fresh part', '?label=latest'))])
      expect(Number(whole.json.prompt.replace('text of fresh part', '0'))).toBeGreaterThanOrEqual(least)
      expect(part.json.version).toBeGreaterThan(least)
    }
  })
  for (let n = 1; n <= 15; n++) {
    const refused = create('fresh part', { prompt: '@@@svcPrompt:name=none|label=production@@@' })
    expect((await create('fresh part', { prompt: `${n}`, labels: ['production'] })).status).toBe(201)
    answered = n
    expect((await refused).status).toBe(400)
  }
  isOver = true
  await Promise.all(reading)
  expect((await send('GET', at('fresh'))).json.prompt).toBe('15')
  expect((await send('DELETE', at('fresh'))).status).toBe(204)
  expect((await send('GET', at('fresh'))).status).toBe(404)
})
