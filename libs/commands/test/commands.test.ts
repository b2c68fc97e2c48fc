import type { ColumnStore } from '@svc-server/column-store/port'
import { judgeBy, purge } from '@svc-server/dead-letters/purge'
import { AppError, type ErrorCode } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { createKeyStore } from '@svc-server/relational/key-store'
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { encodeDeadLetter } from '@svc-server/schema/dead-letter'
import { topicSpecs } from '@svc-server/schema/topics'
import { createCipher } from '@svc-server/secrets'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandContext } from '../src/command.ts'
import { runCommand } from '../src/run.ts'

let directory: TemporaryDirectory
let log: EventLog
let relational: RelationalStore

beforeAll(async () => {
  directory = await temporaryDirectory()
  log = await openEmbeddedLog({
    directory: `${directory.path}/log`,
    topics: topicSpecs({ embedded: true, enabledReaders: [] }),
  })
  relational = await openTestStore()
})
afterAll(async () => {
  await log.close()
  await relational.close()
  await directory.remove()
})

async function svc(...argv: string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const context: CommandContext = {
    keys: async () => createKeyStore(relational, { salt: 'a-salt-of-sixteen-characters' }),
    relational: async () => relational,
    log: async () => log,
    columnStore: () => Promise.reject(new Error('no command of this test needs the column store')),
    migrations: () => Promise.reject(new Error('no command of this test migrates')),
    encryption: async () => createCipher({ key: '22'.repeat(32), previous: ['11'.repeat(32)] }),
    writeMode: 'events_only' as const,
    servicesRunning: true,
    print: line => lines.push(line),
  }
  const code = await runCommand(argv, context, line => errors.push(line))
  return { code, out: lines.join('\n'), error: errors.join('\n') }
}

describe('users', () => {
  test('creates a user with a sign-in link, lists the user, creates another link, and removes the user', async () => {
    await svc('keys', 'create-organization', '--name', 'People', '--id', 'people')
    const made = await svc(
      'users',
      'create',
      'Ada@Example.com',
      '--organization',
      'people',
      '--role',
      'owner',
      '--url',
      'https://svc.example/',
    )
    expect(made.out).toMatch(/^https:\/\/svc\.example\/setup\?token=[\w-]{43}\n\nIt signs ada@example\.com in once, until /)
    expect((await svc('users', 'list')).out).toMatch(/ada@example\.com .*OWNER of people +link/)
    const { link } = JSON.parse((await svc('users', 'link', 'ADA@example.com', '--json')).out) as { link: string }
    expect(link).not.toBe(made.out.split('\n')[0])
    expect((await svc('users', 'remove', 'ada@example.com')).out).toBe('removed ada@example.com')
    expect((await svc('users', 'list', '--json')).out).not.toContain('ada@example.com')
  })

  test.each([
    [['users'], 'create'],
    [['users', 'create'], 'email'],
    [['users', 'create', 'ada'], 'ada'],
    [['users', 'create', 'b@c'], '--organization'],
    [['users', 'create', 'b@c', '--organization', 'nothing'], 'nothing'],
    [['users', 'create', 'b@c', '--organization', 'nothing', '--role', 'KING'], 'KING'],
    [['users', 'link', 'nobody@x'], 'nobody@x'],
    [['users', 'remove', 'nobody@x', 'more'], 'more'],
    [['users', 'list', 'more'], 'more'],
  ])('rejects %j and names the mistake', async (argv, word) => {
    const { code, error } = await svc(...argv)
    expect([code, error]).toEqual([2, expect.stringContaining(word)])
  })
})

describe('keys', () => {
  test('creates an organization, a project and a key pair, lists the key without its secret, and revokes it', async () => {
    expect(await svc('keys', 'create-organization', '--name', 'Acme', '--id', 'acme')).toMatchObject({ code: 0, out: 'organization acme' })
    expect((await svc('keys', 'create-project', '--organization', 'acme', '--name', 'Chat', '--id', 'chat')).code).toBe(0)
    const created = await svc('keys', 'create', '--project', 'chat', '--note', 'laptop', '--json')
    const { publicKey, secretKey } = JSON.parse(created.out) as { publicKey: string; secretKey: string }
    const listed = await svc('keys', 'list', '--project', 'chat')
    expect(listed.out).toContain(publicKey)
    expect(listed.out).toContain('laptop')
    expect(listed.out).not.toContain(secretKey)
    expect((await svc('keys', 'revoke', publicKey)).code).toBe(0)
    expect((await svc('keys', 'list')).out).toContain('revoked')
  })

  test.each([
    [['keys', 'create'], '--project'],
    [['keys', 'create', '--project', 'a', '--organization', 'b'], 'not both'],
    [['keys', 'create', '--project', 'chat', '--expires', 'soon'], 'soon'],
    [['keys', 'create', '--project', 'chat', '--expires', '2020-01-01'], 'in the past'],
    [['keys', 'create-project', '--name', 'x'], '--organization'],
    [['keys', 'revoke', 'nothing'], 'nothing'],
    [['keys', 'constructor'], 'constructor'],
    [['keys', '--nonsense'], 'nonsense'],
  ])('rejects %j and names the mistake', async (argv, word) => {
    const { code, error } = await svc(...argv)
    expect(code).toBe(2)
    expect(error).toContain(word)
  })

  test('rotate-encryption re-encrypts secrets of a previous key with the current key', async () => {
    const [before, after] = [createCipher({ key: '11'.repeat(32) }), createCipher({ key: '22'.repeat(32) })]
    const { db } = relational
    const row = { provider: 'p', adapter: 'openai', display_secret_key: '...1', secret_key: before.encrypt('secret'), project_id: 'chat' }
    const times = { created_at: new Date(), updated_at: new Date() }
    await db
      .insertInto('llm_api_keys')
      .values({ id: 'c', ...row, extra_headers: before.encrypt('{"a":"b"}'), ...times })
      .execute()
    expect((await svc('keys', 'rotate-encryption')).out).toBe('2 of 2 secrets encrypted with the current key')
    const { secret_key, extra_headers } = await db.selectFrom('llm_api_keys').selectAll().where('id', '=', 'c').executeTakeFirstOrThrow()
    expect([after.decrypt(secret_key), after.decrypt(extra_headers!)]).toEqual(['secret', '{"a":"b"}'])
    expect(JSON.parse((await svc('keys', 'rotate-encryption', '--json')).out)).toEqual({ checked: 2, changed: 0 })
    await db
      .updateTable('llm_api_keys')
      .set({ secret_key: createCipher({ key: '33'.repeat(32) }).encrypt('a') })
      .execute()
    expect(await svc('keys', 'rotate-encryption')).toMatchObject({ code: 1, error: expect.stringContaining('ENCRYPTION_KEYS_PREVIOUS') })
  })

  test('the list shows which keys have expired', async () => {
    const keys = createKeyStore(relational, { salt: 'a-salt-of-sixteen-characters' })
    await keys.createKeyPair({ owner: { projectId: 'chat' }, note: 'late', expiresAt: new Date('2020-01-01') })
    await keys.createKeyPair({ owner: { projectId: 'chat' }, note: 'early', expiresAt: new Date('2999-01-01') })
    const { out } = await svc('keys', 'list', '--project', 'chat')
    expect(out).toMatch(/ expired 2020-01-01 00:00 +late/)
    expect(out).toMatch(/ until 2999-01-01 00:00 +early/)
  })

  test('reports an unknown project as an error of the operator, not as a defect', async () => {
    expect(await svc('keys', 'create', '--project', 'nowhere')).toMatchObject({ code: 1, error: expect.stringContaining('nowhere') })
  })
})

describe('dead-letter', () => {
  test('lists each dead letter once, and shows one completely', async () => {
    expect((await svc('dead-letter')).out).toBe('No dead letters.')
    const letter = {
      id: 'spans.direct/0/5/3',
      stage: 'map',
      reason: 'unmappable',
      message: 'a reason',
      projectId: 'chat',
      topic: 'spans.direct',
      partition: 0,
      offset: 5,
      index: 3,
      raw: Buffer.from('raw'),
      atMs: 1,
    }
    const value = encodeDeadLetter(letter)
    await log.append(topicNames.deadLetter, [
      { key: null, value },
      { key: null, value },
    ])
    expect((await svc('dead-letter', 'list')).out).toMatch(/map +unmappable +1/)
    expect(JSON.parse((await svc('dead-letter', 'show', letter.id)).out)).toMatchObject({
      id: letter.id,
      raw: Buffer.from('raw').toString('base64'),
    })
    expect((await svc('dead-letter', 'show', 'x')).code).toBe(2)
    expect((await svc('dead-letter', 'show')).error).toContain('show needs the ID')
  })
})

describe('dead-letter purge', () => {
  const unknown = Buffer.concat([Buffer.from('c301', 'hex'), Buffer.alloc(20, 7)])
  const day = 86_400_000
  const letterOf = (offset: number) => ({
    id: `spans.direct/0/${offset}/-`,
    stage: 'encode',
    reason: offset % 2 === 0 ? 'too_large' : 'malformed',
    message: `number ${offset}`,
    projectId: offset % 3 === 0 ? 'chat' : 'other',
    topic: 'spans.direct',
    partition: 0,
    offset,
    index: null,
    raw: Buffer.alloc(100),
    atMs: Date.now() - offset * day,
  })
  const offsets = Array.from({ length: 30 }, (_, offset) => offset)
  const left = async () => {
    const listed = JSON.parse((await svc('dead-letter', 'list', '--limit', '10000', '--json')).out) as { offset: number; id: string }[]
    return listed
      .filter(({ id }) => id.endsWith('/-'))
      .map(({ offset }) => offset)
      .sort((a, b) => a - b)
  }
  const fill = () =>
    log.append(topicNames.deadLetter, [
      ...offsets.map(offset => ({ key: null, value: encodeDeadLetter(letterOf(offset)), partition: (offset >> 1) % 2 })),
      { key: null, value: unknown, partition: 1 },
    ])

  test('deletes only the selected dead letters, and --dry-run shows them without deleting', async () => {
    await fill()
    expect((await svc('dead-letter', 'purge', '--reason', 'malformed', '--older-than', '10.5', '--dry-run')).out).toMatch(
      /^10 dead letters .* would be/,
    )
    expect(await left()).toEqual(offsets)
    expect((await svc('dead-letter', 'purge', '--reason', 'malformed', '--older-than', '10.5', '--yes')).out).toMatch(
      /^10 dead letters .* are deleted/,
    )
    const rest = offsets.filter(offset => offset % 2 === 0 || offset < 11)
    expect(await left()).toEqual(rest)
    expect((await svc('dead-letter', 'purge', '--all', '--yes', '--dry-run')).out).toMatch(/would be deleted\.$/)
    await svc('dead-letter', 'purge', '--project', 'chat', '--yes')
    expect(await left()).toEqual(rest.filter(offset => offset % 3 !== 0))
    // This release cannot read the age or the reason of the dead letter. Only `purge --all` deletes this dead letter.
    expect((await svc('dead-letter', 'list')).out).toContain('1 dead letter was written by another release; this one cannot read it')
    expect((await svc('dead-letter', 'purge', '--all', '--yes')).code).toBe(0)
    expect((await svc('dead-letter', 'list')).out).toBe('No dead letters.')
  })

  test('after an interruption at any step, every dead letter that was not selected is still listed exactly once', async () => {
    for (const steps of [0, 1, 2, 3]) {
      await fill()
      let stepsLeft = steps
      const cut = new Error('cut off')
      const step = () => {
        if (stepsLeft-- <= 0) throw cut
      }
      const cutOff: EventLog = {
        ...log,
        async append(topic, records) {
          step()
          return log.append(topic, records)
        },
        async deleteBefore(topic, partition, offset) {
          step()
          await log.deleteBefore(topic, partition, offset)
        },
      }
      await expect(purge(cutOff, judgeBy({ reason: 'malformed' }), { isDone: true })).rejects.toBe(cut)
      expect((await left()).filter(offset => offset % 2 === 0)).toEqual(offsets.filter(offset => offset % 2 === 0))
      await purge(log, judgeBy({ reason: 'malformed' }), { isDone: true })
      expect(await left()).toEqual(offsets.filter(offset => offset % 2 === 0))
      await purge(log, judgeBy({}), { isDone: true })
    }
  })

  test.each([
    [['--yes'], 'one or more of'],
    [['--all', '--reason', 'x', '--yes'], 'choose the dead letters'],
    [['--all', '--deleted', '--yes'], 'choose the dead letters'],
    [['--all'], '--dry-run'],
    [['--older-than', 'soon', '--yes'], 'soon'],
    [['--older-than', '', '--yes'], 'days'],
    [['more', '--all', '--yes'], 'more'],
  ])('rejects %j and names the mistake', async (argv, word) => {
    const { code, error } = await svc('dead-letter', 'purge', ...argv)
    expect(code).toBe(2)
    expect(error).toContain(word)
  })
})

test('check --wait ends when the caller disconnects', async () => {
  const left = new AbortController()
  let asked = 0
  const waits: EventLog = {
    ...log,
    async lag() {
      asked += 1
      left.abort()
      return [{ group: 'svc.writer', topic: topicNames.direct, partition: 0, committed: 0, lagRecords: 1, lagMs: 1 }]
    },
  }
  const context: CommandContext = {
    keys: () => Promise.reject(new Error('unused')),
    relational: () => Promise.reject(new AppError('relational_unavailable', 'unused')),
    log: async () => waits,
    columnStore: async () => ({}) as ColumnStore,
    migrations: () => Promise.reject(new Error('no command of this test migrates')),
    writeMode: 'events_only' as const,
    servicesRunning: true,
    signal: left.signal,
    print: () => undefined,
  }
  expect(await runCommand(['check', '--wait', '86400'], context, () => undefined)).toBe(0)
  expect(asked).toBe(1)
})

test('a failure prints advice for operators instead of advice for HTTP clients', async () => {
  const unused = () => Promise.reject(new Error('not asked'))
  const told: string[] = []
  async function failing(code: ErrorCode) {
    const keys = () => Promise.reject(new AppError(code, 'It failed.'))
    const stores = { keys, relational: unused, log: unused, columnStore: unused, migrations: unused }
    const context = { ...stores, writeMode: 'events_only' as const, servicesRunning: false, print: () => undefined }
    told.length = 0
    expect(await runCommand(['keys', 'projects'], context, line => told.push(line))).toBe(1)
    return told.join('\n')
  }
  expect(await failing('bad_request')).toBe('svc keys: It failed. (bad_request)')
  expect(await failing('relational_unavailable')).toMatch(
    /^svc keys: It failed\. \(relational_unavailable\)\nCheck that the relational store runs .*$/,
  )
  expect(await failing('config_invalid')).toBe('svc keys: It failed. (config_invalid)\nCorrect the named variable.')
})

test('prints help for every command, and rejects an unknown command or option', async () => {
  expect((await svc('--help')).out).toContain('dead-letter')
  for (const name of ['keys', 'topics', 'dead-letter', 'migrate']) expect((await svc(name, '--help')).out).toContain(`svc ${name}`)
  expect(await svc('nonsense')).toMatchObject({ code: 2, error: expect.stringContaining("no command 'nonsense'") })
  expect(await svc('--frob')).toMatchObject({ code: 2, out: '', error: expect.stringContaining("no option '--frob'") })
  expect((await svc('--frob', '-h')).code).toBe(0)
  expect(await svc('migrate', 'down', '--to', '38')).toMatchObject({ code: 2, error: expect.stringContaining('stop the instance') })
})

describe('log', () => {
  test.each([
    [['log'], 'lost or skip'],
    [['log', 'skip'], '--to'],
    [['log', 'lost', 'dead-letter'], "'dead-letter' is an unexpected argument"],
    [['log', 'skip', 'dead-letter', '0', '1', '--to', '1'], "'1' is an unexpected argument"],
    [['keys', 'list', 'default-project'], "'default-project' is an unexpected argument"],
    [['log', 'skip', 'nowhere', '0', '--to', '1'], 'nowhere'],
    [['log', 'skip', 'dead-letter', '9', '--to', '1'], '0 to 1'],
    [['log', 'skip', 'dead-letter', '0', '--to', '0'], 'above'],
    [['log', 'skip', 'dead-letter', '0', '--to', '1e9'], 'above'],
  ])('rejects %j and names the mistake', async (argv, told) => {
    const { code, error } = await svc(...argv)
    expect(code).toBe(2)
    expect(error).toContain(told)
  })

  test('skip does not change an undamaged range', async () => {
    const [position] = await log.append(topicNames.scores, [{ key: null, value: Buffer.from('whole'), partition: 0 }])
    expect(await svc('log', 'skip', topicNames.scores, '0', '--to', String(position!.offset + 1), '--yes')).toMatchObject({
      code: 0,
      out: `${topicNames.scores}/0: nothing is damaged below ${position!.offset + 1}.`,
    })
    expect(await svc('log', 'lost')).toMatchObject({ code: 0, out: 'No offsets were skipped.' })
  })
})
