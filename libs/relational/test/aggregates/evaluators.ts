import { describe, expect, test } from 'vitest'
import { createRule, deleteRule, getRule, listRules, updateRule } from '../../src/evaluation-rules/repository.ts'
import {
  createEvaluator,
  type Definition,
  deleteEvaluator,
  getEvaluator,
  listEvaluators,
  listEvaluatorVersions,
  updateEvaluator,
} from '../../src/evaluators/repository.ts'
import { deleteLlmConnection, upsertLlmConnection } from '../../src/llm-connections/repository.ts'
import type { InProject } from '../../src/tenancy/handles.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const connection = {
  ...{ provider: 'judges', adapter: 'openai', displaySecretKey: '...1', encryptedSecretKey: 'a', baseURL: null, customModels: [] },
  ...{ withDefaultModels: true, encryptedExtraHeaders: null, extraHeaderKeys: [], config: null },
}
const judge: Definition = {
  type: 'llm_as_judge',
  prompt: [{ role: 'user', content: '{{a}} 🙂' }],
  variables: ['a'],
  variableMapping: [{ variable: 'a', source: 'input', jsonPath: '$.x' }],
  modelConfig: { provider: 'judges', model: 'm' },
  outputDefinition: { dataType: 'CATEGORICAL', categories: ['x', 'y'], shouldAllowMultipleMatches: false },
}
const later = (ms: number) => ({ ...by, at: new Date(by.at.getTime() + ms) })
const connect = (project: InProject) => upsertLlmConnection(project, by, connection)
const given = { name: 'e', description: null, definition: judge }

export const evaluators = (opened: () => OpenedProjects) =>
  describe('evaluators and rules', () => {
    test('definitions are returned unchanged, each change makes a version, and twenty concurrent changes make twenty', async () => {
      const { another } = opened()
      const project = await another()
      await expect(createEvaluator(project, by, given)).rejects.toMatchObject({ code: 'precondition_failed' })
      await connect(project)
      const made = await createEvaluator(project, by, given)
      expect(made).toMatchObject({ name: 'e', description: null, paused: null, assignments: [], newest: { version: 1, definition: judge } })
      expect(await getEvaluator(project, made.id)).toEqual(made)
      const code = { type: 'code', sourceCode: 'return 1', sourceCodeLanguage: 'PYTHON' } as const
      expect((await createEvaluator(project, later(1), { ...given, definition: code })).newest.definition).toEqual(code)
      await Promise.all(Array.from({ length: 20 }, (_, at) => updateEvaluator(project, later(at + 2), made.id, { definition: judge })))
      const versions = (await listEvaluatorVersions(project, made.id, { limit: 50 }))!.rows.map(({ version }) => version)
      expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1))
      expect((await listEvaluators(project, { limit: 1 })).rows.map(({ newest }) => newest.definition.type)).toEqual(['code'])
      await expect(updateEvaluator(project, by, made.id, { definition: code })).rejects.toMatchObject({ code: 'bad_request' })
    })

    test('rules return their assignments, and lose them when the evaluator is deleted', async () => {
      const { another, other } = opened()
      const project = await another()
      const { connection: connected } = await connect(project)
      const evaluator = await createEvaluator(project, by, given)
      const filter = [{ type: 'string', column: 'name', operator: '=', value: 'a' }]
      const assignments = [{ evaluatorId: evaluator.id, variableMapping: [{ variable: 'a', source: 'output' }] }]
      const rule = await createRule(project, by, { name: 'r', isEnabled: true, sampling: 0.125, filter, assignments })
      expect(rule).toMatchObject({ name: 'r', isEnabled: true, sampling: 0.125, filter, assignments, isLegacy: false })
      expect(await getRule(project, rule.id)).toEqual(rule)
      expect(await listRules(project, { limit: 10 })).toEqual({ rows: [rule] })
      expect(await getRule(other, rule.id)).toBe(undefined)
      expect(await updateRule(other, by, rule.id, { isEnabled: false })).toBe(undefined)
      expect((await getEvaluator(project, evaluator.id))!.assignments).toEqual([
        { ruleId: rule.id, variableMapping: assignments[0]!.variableMapping },
      ])
      await deleteLlmConnection(project, later(1), connected.id)
      expect((await getEvaluator(project, evaluator.id))!.paused).toMatchObject({ at: later(1).at, reason: 'LLM_CONNECTION_MISSING' })
      expect(await deleteEvaluator(other, by, evaluator.id)).toBe(false)
      expect(await deleteEvaluator(project, by, evaluator.id)).toBe(true)
      expect(await getRule(project, rule.id)).toMatchObject({ isEnabled: false, assignments: [] })
      expect([await deleteRule(project, by, rule.id), await deleteRule(project, by, rule.id)]).toEqual([true, false])
    })
  })
