import { describe, expect, test } from 'vitest'
import { listPrompts } from '../../src/prompts/list.ts'
import { protectLabel, readProtectedLabels, unprotectLabel } from '../../src/prompts/protected-labels.ts'
import {
  addLabels,
  createPrompt,
  deletePrompt,
  getPrompt,
  hasPromptVersion,
  type NewPrompt,
  resolvePrompt,
} from '../../src/prompts/repository.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const text = (name: string, prompt: string, more: Partial<NewPrompt> = {}): NewPrompt => ({
  name,
  type: 'text',
  prompt,
  createdBy: 'API',
  ...more,
})
const later = (ms: number) => ({ ...by, at: new Date(by.at.getTime() + ms) })
const refused = (message: string) => ({ code: 'bad_request', message: expect.stringContaining(message) })

export const prompts = (opened: () => OpenedProjects) =>
  describe('prompts', () => {
    test('versions count up, labels move, versions share tags, and other projects see none of them', async () => {
      const { other } = opened()
      const project = await opened().another()
      const first = await createPrompt(
        project,
        by,
        text('a/b', 'one', { labels: ['production'], tags: ['x', 'x'], config: { t: 1 }, commitMessage: 'why' }),
      )
      expect(first).toMatchObject({
        name: 'a/b',
        version: 1,
        type: 'text',
        prompt: 'one',
        config: { t: 1 },
        tags: ['x'],
        commitMessage: 'why',
        createdBy: 'API',
      })
      expect(first.labels).toEqual(['production', 'latest'])
      const second = await createPrompt(project, later(1), text('a/b', 'two', { labels: ['staging'] }))
      expect([second.version, second.labels, second.tags]).toEqual([2, ['staging', 'latest'], ['x']])
      expect((await getPrompt(project, 'a/b'))!.version).toBe(1)
      expect((await getPrompt(project, 'a/b', { version: 1 }))!.labels).toEqual(['production'])
      expect((await getPrompt(project, 'a/b', { label: 'latest' }))!.version).toBe(2)
      const moved = await addLabels(project, later(2), { name: 'a/b', version: 2 }, ['production', 'new'])
      expect(moved!.labels).toEqual(['staging', 'latest', 'production', 'new'])
      expect((await getPrompt(project, 'a/b', { version: 1 }))!.labels).toEqual([])
      await createPrompt(project, later(3), text('a/b', 'three', { tags: ['y'] }))
      expect((await getPrompt(project, 'a/b', { version: 1 }))!.tags).toEqual(['y'])
      for (const choice of [{ version: 9 }, { version: 2 ** 31 }, { label: 'none' }, { label: '\0' }])
        expect(await getPrompt(project, 'a/b', choice)).toBe(undefined)
      expect(await getPrompt(other, 'a/b')).toBe(undefined)
      expect(await addLabels(other, by, { name: 'a/b', version: 1 }, ['q'])).toBe(undefined)
      expect(await deletePrompt(other, by, 'a/b')).toBe(0)
      expect([await hasPromptVersion(project, first.id), await hasPromptVersion(other, first.id)]).toEqual([true, false])
      await expect(addLabels(project, by, { name: 'a/b', version: 1 }, ['latest'])).rejects.toMatchObject(refused('latest'))

      expect(await deletePrompt(project, later(4), 'a/b', { version: 3 })).toBe(1)
      expect((await getPrompt(project, 'a/b', { label: 'latest' }))!.version).toBe(2)
      expect(await deletePrompt(project, later(4), 'a/b', { label: 'nobody' })).toBe(0)
      expect(await deletePrompt(project, later(4), 'a/b')).toBe(2)
      expect(await getPrompt(project, 'a/b')).toBe(undefined)
    })

    test('malformed prompts are refused', async () => {
      const project = await opened().another()
      for (const name of ['', ' a', '/a', 'a//b', 'a|b', '<b>x</b>', 'new', 'x'.repeat(256), 'a\0'])
        await expect(createPrompt(project, by, text(name, '')), name).rejects.toMatchObject({ code: 'bad_request' })
      for (const label of ['', 'A', 'a b', 'x'.repeat(37)])
        await expect(createPrompt(project, by, text('n', '', { labels: [label] })), label).rejects.toMatchObject({ code: 'bad_request' })
      const messages = [
        { role: 'user', content: 'Hi {{ name }}' },
        { type: 'placeholder', name: 'history' },
      ]
      const chat: NewPrompt = { name: 'chat', type: 'chat', prompt: messages, createdBy: 'API' }
      expect((await createPrompt(project, by, chat)).prompt).toEqual(messages)
      await expect(createPrompt(project, by, text('chat', 'x'))).rejects.toMatchObject(refused('type chat'))
      const confused = { ...chat, prompt: [...messages, { type: 'placeholder', name: 'name' }] }
      await expect(createPrompt(project, by, confused)).rejects.toMatchObject(refused('placeholder'))
    })

    test('prompts may reference prompts up to five levels deep, but not in a circle', async () => {
      const project = await opened().another()
      const tag = (name: string, rest = 'label=latest') => `@@@svcPrompt:name=${name}|${rest}@@@`
      const leaf = await createPrompt(project, by, text('p0', 'leaf'))
      for (let n = 1; n <= 5; n++) await createPrompt(project, by, text(`p${n}`, `${n}(${tag(`p${n - 1}`)})`))
      await expect(createPrompt(project, by, text('p6', tag('p5')))).rejects.toMatchObject(refused('5 levels'))
      const top = (await getPrompt(project, 'p2', { label: 'latest' }))!
      const resolved = await resolvePrompt(project, top)
      expect(resolved.prompt).toBe('2(1(leaf))')
      const middle = (await getPrompt(project, 'p1', { label: 'latest' }))!
      expect(resolved.resolutionGraph).toEqual({
        root: { id: top.id, name: 'p2', version: 1 },
        dependencies: {
          [top.id]: [{ id: middle.id, name: 'p1', version: 1 }],
          [middle.id]: [{ id: leaf.id, name: 'p0', version: 1 }],
        },
      })
      await expect(createPrompt(project, by, text('p0', tag('p1')))).rejects.toMatchObject(refused('Circular'))
      await expect(createPrompt(project, by, text('x', tag('none')))).rejects.toMatchObject(refused('does not exist'))
      await createPrompt(project, by, {
        name: 'chat',
        type: 'chat',
        prompt: [{ role: 'user', content: `hear: ${tag('p0', 'version=1')}` }],
        createdBy: 'API',
      })
      await expect(createPrompt(project, by, text('x', tag('chat')))).rejects.toMatchObject(refused('not a text prompt'))
      const chat = (await getPrompt(project, 'chat', { label: 'latest' }))!
      expect((await resolvePrompt(project, chat)).prompt).toEqual([{ role: 'user', content: 'hear: leaf' }])

      // After a new version of a referenced prompt, the next read must resolve to the new version. A version that another prompt refers to
      // cannot be deleted.
      await createPrompt(project, by, text('p0', 'leaf two'))
      expect((await resolvePrompt(project, top)).prompt).toBe('2(1(leaf two))')
      await expect(deletePrompt(project, by, 'p0')).rejects.toMatchObject(refused('p1 version 1'))
      await expect(deletePrompt(project, by, 'p0', { version: 1 })).rejects.toMatchObject(refused('chat version 1'))
      expect(await deletePrompt(project, by, 'chat')).toBe(1)
      expect(await deletePrompt(project, by, 'p0', { version: 1 })).toBe(1)
      const plain = await createPrompt(project, by, text('plain', '@@@svcPrompt:nothing@@@'))
      expect(await resolvePrompt(project, plain)).toEqual({ ...plain, resolutionGraph: null })
    })

    test('references whose resolved text would exceed the limit are refused', async () => {
      const project = await opened().another()
      await createPrompt(project, by, text('g0', 'x'.repeat(1_000)))
      const many = (n: number) => `@@@svcPrompt:name=g${n}|label=latest@@@`.repeat(90)
      await createPrompt(project, by, text('g1', many(0)))
      await createPrompt(project, by, text('g2', many(1)))
      await expect(createPrompt(project, by, text('g3', many(2)))).rejects.toMatchObject(refused('characters'))
    })

    test('lists have one row per name, with the versions that the filter selects', async () => {
      const project = await opened().another()
      await createPrompt(project, by, text('b', '1', { labels: ['production'], tags: ['t'], config: { n: 1 } }))
      await createPrompt(project, later(1), text('b', '2', { config: { n: 2 } }))
      await createPrompt(project, later(2), { name: 'a', type: 'chat', prompt: [], createdBy: 'API' })
      const list = (filter: Parameters<typeof listPrompts>[1], page = { page: 1, limit: 10 }) => listPrompts(project, filter, page)
      const { rows, totalItems } = await list({})
      expect(totalItems).toBe(2)
      expect(rows).toEqual([
        { name: 'a', type: 'chat', versions: [1], labels: ['latest'], tags: [], lastUpdatedAt: later(2).at, lastConfig: {} },
        {
          name: 'b',
          type: 'text',
          versions: [1, 2],
          labels: ['latest', 'production'],
          tags: ['t'],
          lastUpdatedAt: later(1).at,
          lastConfig: { n: 2 },
        },
      ])
      expect(await list({}, { page: 2, limit: 1 })).toEqual({ rows: [rows[1]], totalItems: 2 })
      expect(await list({ label: 'production' })).toMatchObject({
        rows: [{ name: 'b', versions: [1], lastConfig: { n: 1 } }],
        totalItems: 1,
      })
      for (const filter of [{ name: 'a' }, { fromUpdatedAt: later(2).at }])
        expect(await list(filter)).toMatchObject({ rows: [{ name: 'a' }], totalItems: 1 })
      for (const filter of [
        { tag: 't', version: 2 },
        { name: 'b', toUpdatedAt: later(2).at },
      ])
        expect(await list(filter)).toMatchObject({ rows: [{ name: 'b' }] })
      for (const filter of [{ name: 'none' }, { version: 1e12 }, { tag: '\0' }])
        expect(await list(filter)).toEqual({ rows: [], totalItems: 0 })
    })

    test('the filter selects versions by conditions on their columns', async () => {
      const project = await opened().another()
      for (const name of ['app/chat', 'app/eval', 'other'])
        await createPrompt(project, by, text(name, '1', { labels: [name.slice(0, 3)], tags: ['t', name.slice(-4)] }))
      await createPrompt(project, later(5), text('other', '2'))
      const found = async (column: string, type: string, operator: string, value: unknown) => {
        const { rows } = await listPrompts(project, { conditions: [{ column, type, operator, value }] }, { page: 1, limit: 10 })
        return rows.map(({ name, versions }) => `${name} ${versions}`)
      }
      const apps = ['app/chat 1', 'app/eval 1']
      const other = ['other 1,2']
      expect(await found('name', 'string', 'starts with', 'app/')).toEqual(apps)
      expect(await found('name', 'string', 'does not contain', '/')).toEqual(other)
      expect(await found('name', 'string', 'contains', '%')).toEqual([])
      expect(await found('name', 'string', 'ends with', 'er')).toEqual(other)
      expect(await found('name', 'stringOptions', 'none of', ['other', '\0'])).toEqual(apps)
      expect(await found('type', 'stringOptions', 'any of', ['text'])).toEqual([...apps, ...other])
      expect(await found('version', 'number', '>', 1.5)).toEqual(['other 2'])
      expect(await found('createdAt', 'datetime', '>=', later(5).at.toISOString())).toEqual(['other 2'])
      expect(await found('labels', 'arrayOptions', 'any of', ['app'])).toEqual(apps)
      expect(await found('tags', 'arrayOptions', 'all of', ['t', 'chat'])).toEqual(['app/chat 1'])
      expect(await found('tags', 'arrayOptions', 'none of', ['chat'])).toEqual(['app/eval 1', ...other])
      expect(await found('name', 'string', '=', 'nul\0')).toEqual([])
      expect(await found('tags', 'arrayOptions', 'all of', ['t', '\0'])).toEqual([])
      for (const [column, type, operator, value] of [
        ['prompt', 'string', '=', 'x'],
        ['constructor', 'string', '=', 'x'],
        ['name', 'number', '=', 1],
        ['name', 'string', 'toString', 'x'],
        ['name', 'string', '=', 1],
        ['version', 'number', '=', '1'],
        ['createdAt', 'datetime', '>', 'yesterday'],
        ['tags', 'arrayOptions', 'any of', 't'],
        ['tags', 'arrayOptions', 'any of', []],
        ['name', 'stringOptions', 'any of', []],
        ['name', 'stringOptions', 'none of', []],
      ] as const)
        await expect(found(column, type, operator, value), column).rejects.toMatchObject({ code: 'bad_request' })
    })

    test('fifty concurrent creations get the versions 1 to 50, and one is the latest', async () => {
      const project = await opened().another()
      const made = await Promise.all(
        Array.from({ length: 50 }, (_, n) => createPrompt(project, by, text('one', `${n}`, { labels: ['production'] }))),
      )
      expect(made.map(({ version }) => version).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
      const { rows } = await listPrompts(project, { label: 'latest' }, { page: 1, limit: 10 })
      expect(rows).toMatchObject([{ versions: [50], labels: ['production', 'latest'] }])
    })

    test('fifty concurrent reads and fifty writes of one label all succeed, and one version has the label', async () => {
      const project = await opened().another()
      for (let n = 0; n < 5; n++) await createPrompt(project, by, text('burst', `${n}`))
      const writers = Array.from({ length: 50 }, (_, n) => addLabels(project, by, { name: 'burst', version: (n % 5) + 1 }, ['held']))
      const readers = Array.from({ length: 50 }, () => getPrompt(project, 'burst', { label: 'latest' }))
      expect((await Promise.all(readers)).map(found => found?.version)).toEqual(Array.from({ length: 50 }, () => 5))
      expect((await Promise.all(writers)).every(changed => changed?.labels.includes('held'))).toBe(true)
      const versions = await Promise.all([1, 2, 3, 4, 5].map(version => getPrompt(project, 'burst', { version })))
      expect(versions.filter(found => found?.labels.includes('held'))).toHaveLength(1)
    })

    test('while versions are deleted and created, each moving label has at most one version, and one version is the latest', async () => {
      const project = await opened().another()
      for (let n = 0; n < 12; n++) await createPrompt(project, by, text('moving', `${n}`, { labels: ['held'] }))
      await Promise.all(
        Array.from({ length: 12 }, (_, n) => [
          addLabels(project, by, { name: 'moving', version: n + 1 }, ['held', 'production']),
          deletePrompt(project, by, 'moving', { version: ((n * 5) % 12) + 1 }),
          createPrompt(project, by, text('moving', 'new', { labels: n % 2 === 0 ? ['held'] : [] })),
        ]).flat(),
      )
      const { rows } = await listPrompts(project, { name: 'moving' }, { page: 1, limit: 10 })
      const versions = await Promise.all(rows[0]!.versions.map(version => getPrompt(project, 'moving', { version })))
      const holders = (label: string) => versions.filter(found => found!.labels.includes(label)).map(found => found!.version)
      expect(new Set(rows[0]!.versions).size).toBe(rows[0]!.versions.length)
      expect(holders('latest')).toEqual([Math.max(...rows[0]!.versions)])
      for (const label of ['held', 'production']) expect(holders(label).length).toBeLessThanOrEqual(1)
    })

    test('a label is protected once, however many requests protect it', async () => {
      const project = await opened().another()
      await Promise.all(Array.from({ length: 10 }, () => protectLabel(project, by, 'production')))
      expect(await readProtectedLabels(project)).toEqual(['production'])
      expect([await unprotectLabel(project, by, 'production'), await unprotectLabel(project, by, 'production')]).toEqual([true, false])
    })
  })
