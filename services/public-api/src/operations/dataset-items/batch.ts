// Creates many dataset items in one request of JSON lines. The API reads and writes the items part by part, so only the results stay in
// memory until the end of the request.

import { Readable } from 'node:stream'
import * as datasetItems from '@svc-server/api/dataset-items/operations'
import { maxBatchBytes, maxItemsBatchBytes } from '@svc-server/api/fields/limits'
import { AppError, isAppError } from '@svc-server/errors'
import { tooLarge } from '@svc-server/http/bodies'
import type { DatasetItemChange } from '@svc-server/relational/dataset-items'
import { upsertDatasetItems } from '@svc-server/relational/many-dataset-items'
import { inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { ByteStream, handle, reply } from '../../request/handler.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { sentenceOf } from '../../validation/refusals.ts'
import { checkIn, checkManyIn } from './dataset-items.ts'
import { type Line, linesOf } from './lines.ts'

/** Items per transaction. */
const partItems = 250
const partBytes = 4_000_000
/** Maximum lines of a batch, because the response has one result per line. */
const maxLines = 200_000

const types = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-lines)\b/i

interface Row {
  readonly line: number
  readonly change: DatasetItemChange
}

interface Result {
  readonly line: number
  readonly status: number
  readonly id?: string | null
  readonly message?: string
}

async function decoded({ number, bytes }: Line, deps: Dependencies, owner: string): Promise<Row | Result> {
  try {
    const job = { kind: 'body', operationId: datasetItems.create.id, body: bytes, terms: undefined } as const
    return { line: number, change: (await deps.payloads.parse(job, owner)) as DatasetItemChange }
  } catch (error) {
    if (error instanceof InvalidBody) return { line: number, status: 400, message: `${error.message}: ${sentenceOf(error.issues)}` }
    if (isAppError(error) && error.definition.class === 'invalid')
      return { line: number, status: error.definition.http, message: error.message }
    throw error
  }
}

export const createBatch = handle(datasetItems.createBatch, async ({ project, incoming }, deps) => {
  const { projectId } = project
  if (!types.test(incoming.contentType)) throw new AppError('content_type_unsupported', 'Send application/x-ndjson with one item per line.')
  if ((incoming.contentLength ?? 0) > maxItemsBatchBytes) throw tooLarge(maxItemsBatchBytes)
  const own = inProject(deps.relational, projectId)
  const checks = { check: checkManyIn(deps, projectId), checkOne: checkIn(deps, projectId) }
  const answers: Buffer[] = []
  let part: (Row | Result)[] = []
  let bytes = 0

  async function writePart(): Promise<void> {
    const rows = part.filter(each => 'change' in each)
    const outcomes = await upsertDatasetItems(
      own,
      authorOf(project, deps),
      rows.map(({ change }) => change),
      checks,
    )
    const results = new Map(
      rows.map(({ line }, at): [number, Result] => {
        const outcome = outcomes[at]!
        if (!('error' in outcome)) return [line, { line, status: 200, id: outcome.id }]
        return [line, { line, status: outcome.error.definition.http, id: outcome.id, message: outcome.error.message }]
      }),
    )
    const lines = part.map(each => JSON.stringify('change' in each ? results.get(each.line) : each))
    if (lines.length > 0) answers.push(Buffer.from(`${lines.join('\n')}\n`))
    part = []
    bytes = 0
  }

  for await (const line of linesOf(incoming.open(), { maxBytes: maxItemsBatchBytes, maxLineBytes: maxBatchBytes })) {
    if (line.number > maxLines)
      throw new AppError('bad_request', `The body has more than ${maxLines} lines; the items of the first ${maxLines} are written.`)
    bytes += line.bytes.length
    part.push(await decoded(line, deps, projectId))
    if (part.length >= partItems || bytes >= partBytes) await writePart()
  }
  await writePart()
  const length = answers.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return reply(200, new ByteStream(Readable.from(answers), length), {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
  })
})
