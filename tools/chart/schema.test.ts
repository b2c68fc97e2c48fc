// The variables of the services determine values.schema.json and the tables in the chart's README. With `-u`, the tests write both files
// and `files/topics.yaml`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { variablesOfService } from '../../libs/service/src/definition/index.ts'
import { markdownTable } from '../../libs/service/src/text/markdown-table.ts'
import { withTables } from '../../libs/testkit/src/index.ts'
import { components, setByTemplates } from './components.ts'
import { chartFolder } from './helm.ts'
import { at, valuesOf } from './json-schema.ts'
import { freeVariables } from './service-values.ts'
import { topicTable } from './topics.ts'
import { valuesSchema } from './values-schema.ts'

const values = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8')) as unknown
const documented = valuesOf(valuesSchema)

test('values.schema.json matches the variables of the services', async () => {
  await expect(`${JSON.stringify(valuesSchema, null, 2)}\n`).toMatchFileSnapshot(join(chartFolder, 'values.schema.json'))
})

test('the README lists every value with its default', async () => {
  const path = join(chartFolder, 'README.md')
  const print = (value: unknown) => (value === undefined ? '' : `\`${JSON.stringify(value)}\``)
  // The table omits a service's value if `global` has a value of this name, unless values.yaml sets the service's value.
  const ofGlobal = documented
    .filter(({ path }) => path.startsWith('global.') && path !== 'global.env')
    .map(({ path }) => path.slice('global.'.length))
  const isRepeated = (path: string) => components.some(({ key }) => ofGlobal.some(name => path === `${key}.${name}`))
  const rows = documented
    .filter(each => !isRepeated(each.path) || at(values, each.path) !== undefined)
    .map(each => [`\`${each.path}\``, print(at(values, each.path)), each.says])
  await expect(withTables(readFileSync(path, 'utf8'), [markdownTable(['Value', 'Default', 'Meaning'], rows)])).toMatchFileSnapshot(path)
})

test('the topics of the Strimzi templates are those of the log', async () => {
  await expect(topicTable()).toMatchFileSnapshot(join(chartFolder, 'files/topics.yaml'))
})

test('every value has a description, and the schema has every value of values.yaml', () => {
  expect(documented.filter(({ says }) => says === '').map(({ path }) => path)).toEqual([])
  const leaves = (value: unknown, path: string): string[] => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value) && !documented.some(each => each.path === path)
    return isGroup ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`)) : [path]
  }
  expect(leaves(values, '').filter(path => !documented.some(each => each.path === path))).toEqual([])
})

test.each(components)('every variable of $definition.name is set by a template or free in $key.env', component => {
  const all = variablesOfService(component.definition)
  const reachable = new Set([...setByTemplates, ...freeVariables(component)])
  expect(all.filter(name => !reachable.has(name))).toEqual([])
  expect(freeVariables(component).filter(name => !all.includes(name) || setByTemplates.has(name))).toEqual([])
})

test('templates set only variables that a service has', () => {
  const known = new Set(components.flatMap(({ definition }) => variablesOfService(definition)))
  expect([...setByTemplates].filter(name => !known.has(name))).toEqual([])
})
