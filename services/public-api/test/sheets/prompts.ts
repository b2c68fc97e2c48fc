// The test rows for the requests of contract §18.1 and §20.9.
import { expect } from 'vitest'
import { badPages, good, type Row, refused, refusedAt } from './rows.ts'

const text = { name: 'greeting', prompt: 'Hello {{name}}' }
const chat = { name: 'talk', type: 'chat', prompt: [{ role: 'system', content: 'Be kind to {{name}}', extra: 1 }] }
const depends = (on: string) => ({ name: 'depends', prompt: `A @@@svcPrompt:${on}@@@ B` })
const prompts = '/v2/prompts'

export const promptRows: readonly Row[] = [
  good(
    `POST ${prompts}`,
    text,
    { type: 'text', version: 1, config: {}, labels: ['latest'], tags: [], commitMessage: null, createdBy: 'API', ...text },
    { status: 201, as: 'prompt' },
  ),
  good(
    `POST ${prompts}`,
    { ...text, labels: ['production'], tags: ['b', 'a'], config: { a: [1] }, commitMessage: 'x'.repeat(500) },
    { version: 2, config: { a: [1] }, commitMessage: 'x'.repeat(500) },
    { status: 201 },
  ),
  good(`POST ${prompts}`, { ...text, labels: null, tags: null, config: null, commitMessage: null }, { version: 3 }, { status: 201 }),
  good(`GET ${prompts}/greeting`, undefined, { version: 2, isActive: true, resolutionGraph: null }),
  good(`GET ${prompts}/greeting?version=1`, undefined, { version: 1, isActive: false, tags: expect.arrayContaining(['a', 'b']) }),
  good(`GET ${prompts}/greeting?label=latest`, undefined, { version: 3, tags: expect.arrayContaining(['a', 'b']) }),
  good(`GET ${prompts}/greeting?resolve=false`, undefined, { version: 2 }),
  good(`POST ${prompts}`, { ...text, name: ' folder/a b ' }, { name: 'folder/a b', version: 1 }, { status: 201 }),
  good(
    `POST ${prompts}`,
    chat,
    { type: 'chat', prompt: [{ type: 'chatmessage', role: 'system', content: 'Be kind to {{name}}', extra: 1 }] },
    { status: 201 },
  ),
  good(
    `POST ${prompts}`,
    { ...chat, prompt: [...chat.prompt, { type: 'placeholder', name: 'history' }] },
    { prompt: [{}, { type: 'placeholder', name: 'history' }] },
    { status: 201 },
  ),
  ...refused(`POST ${prompts}`, 400, text, [
    ...['', ' ', '/a', 'a/', 'a//b', 'a|b', '<b>a</b>', 'new', 'metrics', 'prompt-detail', 'x'.repeat(256), 1, null].map(name => ({
      name,
    })),
    ...['A', 'a b', '', 'x'.repeat(37), 'a/b', 1].map(label => ({ labels: [label] })),
    { labels: 'a' },
    { tags: 'a' },
    { tags: [1] },
    { prompt: undefined },
    { prompt: 1 },
    { prompt: chat.prompt },
    { type: 'other' },
    { type: 'chat', prompt: 'text' },
    { type: 'chat', prompt: chat.prompt },
    { commitMessage: '' },
    { commitMessage: 'x'.repeat(501) },
  ]),
  ...refused(`POST ${prompts}`, 400, chat, [
    { type: undefined },
    { type: 'text', prompt: 'now text' },
    { prompt: [...chat.prompt, { type: 'placeholder', name: 'name' }] },
    { prompt: [{ role: 'user' }] },
    { prompt: [{ type: 'placeholder' }] },
  ]),

  // Prompts that depend on other prompts.
  good(`POST ${prompts}`, depends('name=greeting|label=production'), {}, { status: 201 }),
  good(`GET ${prompts}/depends?label=latest`, undefined, {
    prompt: 'A Hello {{name}} B',
    resolutionGraph: { root: { name: 'depends', version: 1, id: expect.any(String) }, dependencies: expect.any(Object) },
  }),
  good(`GET ${prompts}/depends?label=latest&resolve=false`, undefined, { prompt: 'A @@@svcPrompt:name=greeting|label=production@@@ B' }),
  ...[
    'name=nothing|version=1',
    'name=greeting|version=99',
    'name=greeting|label=none',
    'name=talk|version=1',
    'name=depends|version=1',
  ].map((on): Row => ({ request: `POST ${prompts}`, status: 400, body: depends(on) })),
  ...[1, 2, 3, 4, 5].map(level =>
    good(
      `POST ${prompts}`,
      {
        name: `level-${level}`,
        prompt: level === 1 ? 'end' : `@@@svcPrompt:name=level-${level - 1}|version=1@@@`,
      },
      {},
      { status: 201 },
    ),
  ),
  { request: `DELETE ${prompts}/greeting?label=production`, status: 400 },
  { request: `DELETE ${prompts}/level-1`, status: 400 },

  good(`GET ${prompts}`, undefined, { meta: { page: 1, limit: 10 }, pagination: { page: 1, limit: 10 } }),
  good(`GET ${prompts}?name=greeting`, undefined, {
    data: [{ name: 'greeting', type: 'text', versions: [1, 2, 3], lastConfig: {}, tags: expect.arrayContaining(['a', 'b']) }],
    meta: { totalItems: 1, totalPages: 1 },
  }),
  good(`GET ${prompts}?label=production`, undefined, { data: [{ name: 'greeting', versions: [2], lastConfig: { a: [1] } }] }),
  good(`GET ${prompts}?tag=none`, undefined, { data: [], meta: { totalItems: 0, totalPages: 0 } }),
  good(`GET ${prompts}?toUpdatedAt=2020-01-01T00:00:00Z`, undefined, { data: [] }),
  good(
    `GET ${prompts}?name=ignored&filter=${encodeURIComponent('[{"type":"number","column":"version","operator":">","value":2}]')}`,
    undefined,
    { data: [{ name: 'greeting', versions: [3] }] },
  ),
  good(`GET ${prompts}?page=&limit=`, undefined, { meta: { page: 1, limit: 10 } }),
  ...refusedAt(`GET ${prompts}`, 400, [
    ...badPages,
    '?fromUpdatedAt=yesterday',
    '?toUpdatedAt=1',
    '?filter=a',
    '?filter={}',
    `?filter=${encodeURIComponent('[{"type":"string","column":"nothing","operator":"=","value":"a"}]')}`,
    `?filter=${encodeURIComponent('[{"type":"arrayOptions","column":"tags","operator":"any of","value":[]}]')}`,
    `?filter=${encodeURIComponent('[{"type":"number","column":"name","operator":"=","value":1}]')}`,
  ]),
  ...refusedAt(`GET ${prompts}/greeting`, 400, ['?version=1&label=a', '?version=a', '?version=1.5', '?resolve=yes']),
  { request: `GET ${prompts}/greeting?version=99`, status: 404, says: { message: "Prompt not found: 'greeting' with version 99" } },
  { request: `GET ${prompts}/greeting?label=none`, status: 404, says: { message: "Prompt not found: 'greeting' with label 'none'" } },
  { request: `GET ${prompts}/talk`, status: 404, says: { message: "Prompt not found: 'talk' with label 'production'" } },
  { request: `GET ${prompts}/greeting`, status: 404, by: 'other' },

  good(`PATCH ${prompts}/greeting/versions/1`, { newLabels: ['a.b-c_1'] }, { version: 1, labels: ['a.b-c_1'] }),
  good(`PATCH ${prompts}/greeting/versions/3`, { newLabels: ['a.b-c_1'] }, { labels: expect.arrayContaining(['a.b-c_1', 'latest']) }),
  good(`GET ${prompts}/greeting?version=1`, undefined, { labels: [] }),
  ...refused(`PATCH ${prompts}/greeting/versions/1`, 400, {}, [
    {},
    { newLabels: 'a' },
    { newLabels: ['latest'] },
    { newLabels: ['A'] },
    { newLabels: ['x'.repeat(37)] },
  ]),
  { request: `PATCH ${prompts}/greeting/versions/a`, status: 400, body: { newLabels: ['a'] } },
  {
    request: `PATCH ${prompts}/greeting/versions/99`,
    status: 404,
    body: { newLabels: ['a'] },
    says: { message: "Prompt 'greeting' version 99 not found in project" },
  },
  { request: `PATCH ${prompts}/greeting/versions/1`, status: 404, body: { newLabels: ['a'] }, by: 'other' },

  { request: `DELETE ${prompts}/talk?version=1&label=a`, status: 400 },
  { request: `DELETE ${prompts}/talk?version=a`, status: 400 },
  { request: `DELETE ${prompts}/talk?version=99`, status: 404 },
  { request: `DELETE ${prompts}/talk?label=none`, status: 404 },
  { request: `DELETE ${prompts}/none`, status: 404 },
  { request: `DELETE ${prompts}/talk`, status: 404, by: 'other' },
  { request: `DELETE ${prompts}/talk?version=2`, status: 204 },
  good(`GET ${prompts}/talk?label=latest`, undefined, { version: 1 }),
  { request: `DELETE ${prompts}/talk`, status: 204 },
  { request: `GET ${prompts}/talk?label=latest`, status: 404 },

  good(
    'POST /prompts',
    { name: 'old', prompt: 'a', isActive: true },
    { version: 1, labels: expect.arrayContaining(['production']) },
    { status: 201 },
  ),
  good('POST /prompts', { name: 'old', prompt: 'b', isActive: false }, { version: 2, config: {} }, { status: 201 }),
  good('GET /prompts?name=old', undefined, { version: 1, prompt: 'a' }),
  good('GET /prompts?name=old&version=2', undefined, { version: 2, prompt: 'b' }),
  ...refusedAt('GET /prompts', 400, ['', '?name=old&version=a']),
  ...refusedAt('GET /prompts', 404, ['?name=none', '?name=old&version=9']),
  ...refused('POST /prompts', 400, { name: 'old', prompt: 'a', isActive: true }, [
    { isActive: undefined },
    { name: 'a|b' },
    { prompt: undefined },
  ]),
]
