import { describe, expect, test } from 'vitest'
import { deleteLlmConnection, findLlmConnection, listLlmConnections, upsertLlmConnection } from '../../src/llm-connections/repository.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const given = {
  ...{ provider: 'openai', adapter: 'openai', displaySecretKey: '...1234', encryptedSecretKey: 'a:b:c', baseURL: 'https://example.com' },
  ...{ customModels: ['a', 'b'], withDefaultModels: false, encryptedExtraHeaders: 'd:e:f', extraHeaderKeys: ['x'] },
  config: { useResponsesApi: true },
}

export const llmConnections = (opened: () => OpenedProjects) =>
  describe('LLM connections', () => {
    test('exist once per provider of a project, are created, replaced and deleted, and are returned without secrets', async () => {
      const { project, other } = opened()
      const { connection: made, isNew } = await upsertLlmConnection(project, by, given)
      const { encryptedSecretKey: _, encryptedExtraHeaders: __, ...shown } = given
      expect([isNew, made]).toEqual([true, { ...shown, id: expect.any(String), createdAt: by.at, updatedAt: by.at }])
      expect(await findLlmConnection(project, 'openai')).toEqual(made)
      expect(await findLlmConnection(other, 'openai')).toBe(undefined)
      const later = { ...by, at: new Date(by.at.getTime() + 1) }
      const changed = { ...given, baseURL: null, customModels: [], config: null, encryptedExtraHeaders: null, extraHeaderKeys: [] }
      const again = await upsertLlmConnection(project, later, changed)
      expect(again).toMatchObject({
        isNew: false,
        connection: { id: made.id, baseURL: null, config: null, createdAt: by.at, updatedAt: later.at },
      })
      expect(await listLlmConnections(project, { page: 1, limit: 10 })).toEqual({ rows: [again.connection], totalItems: 1 })
      expect(await deleteLlmConnection(other, by, made.id)).toBe(false)
      expect(await deleteLlmConnection(project, by, made.id)).toBe(true)
      expect(await deleteLlmConnection(project, by, made.id)).toBe(false)
    })
  })
