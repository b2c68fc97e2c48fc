// Operations on the datasets of a project. A dataset is identified by its name (contract §18.2).
import * as datasets from '@svc-server/api/datasets/operations'
import { AppError } from '@svc-server/errors'
import {
  type CheckItems,
  type Dataset,
  type DatasetChange,
  findDataset,
  listDatasets,
  upsertDataset,
} from '@svc-server/relational/datasets'
import { type InProject, inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Caller } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import type { Issue } from '../../validation/refusals.ts'
import type { Violation } from '../../work/item-schemas.ts'

type JsonObject = Readonly<Record<string, unknown>>

export const viewOf = ({ inputSchema, expectedOutputSchema, createdAt, updatedAt, ...dataset }: Dataset) => ({
  ...dataset,
  inputSchema: inputSchema as JsonObject | null,
  expectedOutputSchema: expectedOutputSchema as JsonObject | null,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** Clients before v6 encode names twice (contract §16.2), so an unknown name is decoded once more. */
export async function requireDataset(project: InProject, name: string): Promise<Dataset> {
  const found = (await findDataset(project, name)) ?? (await findDataset(project, decodedAgain(name)))
  if (found === undefined) throw new AppError('not_found', 'Dataset not found')
  return found
}

/** Returns an empty text if the name cannot be decoded. */
export function decodedAgain(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}

const issueOf = ({ id, field, message }: Violation): Issue => ({
  code: 'custom',
  message: `The item ${id} does not match the schema: ${message}.`,
  path: [`${field}Schema`, id],
})

/** Throws InvalidBody with the violations. */
const checkIn =
  ({ payloads }: Dependencies, owner: string): CheckItems =>
  async (schemas, pages) => {
    for await (const items of pages) {
      const violations = await payloads.check({ kind: 'items', ...schemas, items }, owner)
      if (violations.length > 0) throw new InvalidBody(violations.map(issueOf))
    }
  }

export async function upsert(caller: Caller, change: DatasetChange, deps: Dependencies): Promise<Dataset> {
  const { inputSchema = null, expectedOutputSchema = null } = change
  // Without items, `check` checks only the two schemas. This check runs before `upsertDataset`, so no row is locked meanwhile.
  if (inputSchema !== null || expectedOutputSchema !== null)
    await deps.payloads.check({ kind: 'items', inputSchema, expectedOutputSchema, items: [] }, caller.projectId)
  return upsertDataset(inProject(deps.relational, caller.projectId), authorOf(caller, deps), change, checkIn(deps, caller.projectId))
}

export const list = handle(datasets.list, async ({ project: { projectId }, query }, { relational }) =>
  reply(200, pageBody(query, await listDatasets(inProject(relational, projectId), query), viewOf)),
)

export const get = handle(datasets.get, async ({ project: { projectId }, params: { datasetName } }, { relational }) =>
  reply(200, viewOf(await requireDataset(inProject(relational, projectId), datasetName))),
)

export const create = handle(datasets.create, async ({ project, body }, deps) => reply(200, viewOf(await upsert(project, body, deps))))
