import { describe, expect, test } from 'vitest'
import { checkValuesData, planInsert, planStatement } from '../src/http/plan.ts'
import { deniedNames, deniedSettings } from '../src/sql/denied.ts'
import { checkStatement } from '../src/sql/guard.ts'
import { SqlRefused } from '../src/sql/refused.ts'
import { scalarPositions, spellings } from './file-positions.ts'

const names = deniedNames({
  tableFunctions: ['file', 'url', 's3', 'numbers', 'values', 'view', 'aFunctionOfNextYear', 'format', 'merge'],
  engines: ['MergeTree', 'ReplacingMergeTree', 'Memory', 'Atomic', 'File', 'URL', 'Executable', 'EmbeddedRocksDB', 'Kafka', 'QueryRunner'],
})
const check = (sql: string) => checkStatement(sql, names)
const codeOf = (sql: string): number | null => {
  try {
    check(sql)
    return null
  } catch (error) {
    return (error as { code: number }).code
  }
}

describe('statements that read files or the network are refused in every spelling', () => {
  test.each([
    "SELECT file('/etc/hostname')",
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "SELECT * FROM FILE ('/etc/hostname')",
    "SELECT * FROM file/* a comment */('/etc/hostname')",
    "SELECT * FROM file -- to the end of the line\n ('/etc/hostname')",
    "SELECT * FROM `file`('/etc/hostname')",
    'SELECT * FROM "file"(\'/etc/hostname\')',
    "SELECT * FROM `\\x66ile`('/etc/hostname')",
    "SELECT * FROM `fi\\le`('/etc/hostname')",
    "SELECT 1 UNION ALL SELECT * FROM url('http://127.0.0.1/', 'TSV')",
    "WITH x AS (SELECT * FROM s3('http://h/b/k')) SELECT * FROM x",
    "CREATE VIEW v AS SELECT * FROM file('/etc/hostname')",
    "CREATE TABLE t AS file('/etc/hostname')",
    "CREATE TABLE t ENGINE = File(TSV, '/etc/hostname') AS SELECT 1",
    'CREATE TABLE t (a String) ENGINE File(TSV)',
    'CREATE TABLE t (a String) ENGINE = `File`(TSV)',
    "CREATE TABLE t (a String) engine/**/=/**/executable('x', TSV)",
    "CREATE TABLE t (k String) ENGINE = EmbeddedRocksDB(0, '/tmp/x') PRIMARY KEY k",
    'CREATE MATERIALIZED VIEW v ENGINE = Kafka AS SELECT 1',
    "CREATE DICTIONARY d (a UInt64) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'id' FORMAT 'TSV')) LAYOUT(FLAT()) LIFETIME(0)",
    "CREATE OR REPLACE DICTIONARY d (a UInt64) PRIMARY KEY a SOURCE(FILE(PATH '/x' FORMAT 'TSV')) LAYOUT(FLAT())",
    "ATTACH TABLE t FROM '/etc' (a String) ENGINE = Log",
    "INSERT INTO FUNCTION file('/tmp/x', 'TSV', 'a String') SELECT '1'",
    "INSERT INTO TABLE FUNCTION url('http://h/', 'TSV', 'a String') SELECT '1'",
    "INSERT INTO t FROM INFILE '/etc/hostname' FORMAT TSV",
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "SELECT 1 INTO/**/OUTFILE '/tmp/x'",
    "SELECT * FROM eval('SELECT 1')",
    "SELECT * FROM aFunctionOfNextYear('x')",
    "SELECT catboostEvaluate('/etc/hostname', 1)",
    "SELECT hasColumnInTable('10.0.0.1', 'u', 'p', 'd', 't', 'c')",
    "SELECT {f:Identifier}('/etc/hostname')",
    "SELECT arrayMap(file, ['/etc/hostname'])",
    "SELECT * APPLY(file) FROM (SELECT '/etc/hostname')",
    "SELECT * APPLY file FROM (SELECT '/etc/hostname')",
    "SELECT arrayMap(`\\x66ile`, ['/etc/hostname'])",
    "SELECT arrayMap(/* x */ file -- y\n, ['/etc/hostname'])",
    "SELECT arrayMap({f:Identifier}, ['/etc/hostname'])",
    "CREATE VIEW v AS SELECT arrayMap({f:`Identifier`}, ['/etc/hostname'])",
    'ALTER TABLE t ADD COLUMN c String DEFAULT file(a)',
    'SELECT 1 AS file',
    "SELECT * FROM values('a String DEFAULT file(1)', 1)",
    "SELECT * FROM values(concat('a String DEF', 'AULT file(1)'), 1)",
    "SELECT * FROM format(JSONEachRow, {s:String}, '{}')",
    "SELECT 1, format('{' = 'a' ? 'TSV' : 'JSONEachRow', 'a String DEFAULT file(1)', '{}')",
    "SELECT b FROM generateRandom('b String ALIAS file(1)', 1, 1, 1)",
  ])('%s', sql => expect(codeOf(sql)).toBe(497))
})

describe('settings that reach files, the network or another language are refused', () => {
  test.each([
    "SELECT 1 SETTINGS dialect = 'prql'",
    "SELECT 1 FORMAT Template SETTINGS format_template_row = '/etc/hostname'",
    "SET FORMAT_SCHEMA = 'x'",
    "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = s3, endpoint = 'http://h/')",
    'SELECT 1 SETTINGS `allow_experimental_eval_table_function`=1',
    'SELECT 1 SETTINGS input_format_values_interpret_expressions',
    "SELECT * FROM t SETTINGS additional_table_filters = {'t': 'file(a) = 1'}",
    "SELECT 1 SETTINGS additional_result_filter = 'throwIf(1, file(1))'",
  ])('%s', sql => expect(codeOf(sql)).toBe(452))
})

describe('harmless statements are accepted', () => {
  test.each([
    'SELECT \'file(\' AS a, "files" FROM t',
    "SELECT 'it''s file(' , 'a\\'file('",
    '/* file( */ SELECT 1 -- url(\n',
    "SELECT getServerPort('http_port')",
    'SELECT url, input, output, null FROM t WHERE input IN (1, 2)',
    "SELECT metadata['file'] FROM t WHERE input LIKE '%file(%'",
    'SELECT leftUTF8(input, 200) FROM events_full',
    'SELECT engine FROM system.tables WHERE engine = name',
    'CREATE TABLE t (a UInt64, engine LowCardinality(String)) ENGINE = ReplacingMergeTree(a) ORDER BY a',
    'CREATE TABLE t (a UInt64, INDEX i lower(input) TYPE tokenbf_v1(65536, 3, 0) GRANULARITY 1) ENGINE MergeTree ORDER BY a',
    'CREATE MATERIALIZED VIEW v TO t AS SELECT * FROM numbers(3)',
    "SELECT format('{} file({})', a, b) FROM t",
    "SELECT * FROM merge('svc', '^t')",
    'WITH 1 AS x SELECT x;',
    'SELECT 1;;  -- end',
    '(SELECT 1) UNION ALL (SELECT 2)',
    'FROM t SELECT a',
    'DELETE FROM t WHERE a = 1',
    "SELECT '文件 ‘file(’'",
  ])('%s', sql => expect(codeOf(sql)).toBeNull())
})

describe('only a single statement of a known kind is accepted, and only if both lexers read it in the same way', () => {
  test.each([
    ['SELECT 1; SELECT 2', 62],
    ['SELECT 1; DROP TABLE t', 62],
    ['', 62],
    ['-- nothing', 62],
    ["SELECT 'open", 62],
    ['SELECT /* a /* b */ 1', 62],
    ['SELECT /* open', 62],
    ["SELECT ‘file’('/x')", 62],
    ["SELECT $$ file('/x') $$", 62],
    ['SELECT 1 # comment', 62],
    ['SELECT 1\0; DROP TABLE t', 62],
    ["BACKUP DATABASE svc TO File('/tmp/x')", 62],
    ["RESTORE DATABASE svc FROM File('/tmp/x')", 62],
    ['GRANT ALL ON *.* TO default', 62],
    ['EXECUTE AS other SELECT 1', 62],
  ] as const)('%s', (sql, code) => expect(codeOf(sql)).toBe(code))
})

test('the kind of a statement is its first word', () => {
  expect(check('  /* x */ insert into t select 1').kind).toBe('INSERT')
  expect(check('((SELECT 1))').kind).toBe('SELECT')
})

test('an identifier parameter is checked by its value, in every spelling', () => {
  const withParam = (value: string) => () => checkStatement('SELECT arrayMap({f:Identifier}, [1])', names, [['f', value]])
  for (const value of ['file', 'FILE', '`file`', ' file ', 'fi\\x6ce', 'url'])
    expect(withParam(value)).toThrow(expect.objectContaining({ code: 497 }))
  expect(withParam('length')).not.toThrow()
  expect(() => checkStatement('SELECT * FROM {t:Identifier}', names, [['t', 'events_full']])).not.toThrow()
})

test('in every position and spelling, the guard refuses at least one statement of an attack before the engine sees it', () => {
  const passed: string[] = []
  for (const { statements, search = {} } of scalarPositions)
    for (const spell of spellings) {
      const params = Object.entries(search).flatMap(([key, value]) =>
        key.startsWith('param_') ? [[key.slice('param_'.length), value.replace(/\bF\b/, 'file')] as const] : [],
      )
      const refused = Object.keys(search).some(name => deniedSettings.has(name))
      const isRefused = (statement: string) => {
        try {
          const sql = statement.replaceAll(/\bF\b/g, () => spell('file')).replaceAll(/\b[PQ]\b/g, "'x'")
          if (planInsert(sql, names, params)?.kind !== 'insert') planStatement(sql, names, params)
          else checkValuesData(sql.slice(sql.indexOf('VALUES') + 6), names, params)
          return false
        } catch (error) {
          return error instanceof SqlRefused
        }
      }
      if (!refused && !statements.some(isRefused)) passed.push(`${statements.join('; ')} with ${spell('file')}`)
    }
  expect(passed).toEqual([])
})
