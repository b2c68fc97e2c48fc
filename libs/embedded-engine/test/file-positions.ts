// Lists every place in a statement where the engine's grammar allows a function. `F` stands for the tested function's name in one of the
// `spellings`. `P` stands for the quoted path of a file that no statement may read.

export interface Position {
  readonly statements: readonly string[]
  /** Parameters of the request. In a parameter, `F` stands only for the function's plain name, never for another of the `spellings`. */
  readonly search?: Readonly<Record<string, string>>
}

const at = (...statements: string[]): Position => ({ statements })

export const scalarPositions: readonly Position[] = [
  at('SELECT F(P)'),
  at('SELECT arrayMap(F, [P])'),
  at('SELECT arrayMap(x -> F(x), [P])'),
  at("SELECT arrayFold((acc, x) -> F(x), [P], '')"),
  at('SELECT arrayFilter(F, [P])'),
  at('SELECT arraySort(F, [P, P])'),
  at("SELECT mapApply((k, v) -> (k, F(v)), map('a', P))"),
  at('SELECT * APPLY(F) FROM (SELECT P AS a)'),
  at('SELECT * APPLY F FROM (SELECT P AS a)'),
  at("SELECT COLUMNS('a') APPLY(x -> F(x)) FROM (SELECT P AS a)"),
  at('SELECT * REPLACE(F(a) AS a) FROM (SELECT P AS a)'),
  at('WITH (x -> F(x)) AS g SELECT g(P)'),
  at('WITH F AS g SELECT arrayMap(g, [P])'),
  at('WITH F(P) AS a SELECT a'),
  at('SELECT 1 WHERE throwIf(1, F(P))'),
  at('SELECT 1 ORDER BY throwIf(1, F(P))'),
  at('SELECT 1 LIMIT length(F(P))'),
  at('SELECT (SELECT F(P))'),
  at('SELECT 1 IN (SELECT F(P))'),
  at('SELECT any(F(P)) OVER () FROM numbers(1)'),
  at('SELECT a FROM (SELECT P AS a) GROUP BY a HAVING throwIf(1, F(a))'),
  at('SELECT a FROM (SELECT [P] AS p) ARRAY JOIN arrayMap(F, p) AS a'),
  at('SELECT 1 UNION ALL SELECT length(F(P))'),
  at('SELECT transform(P, [P], [F(P)])'),
  at('SELECT CASE WHEN 1 THEN F(P) ELSE P END'),
  at('(SELECT F(P))'),
  at('FROM (SELECT P AS a) SELECT F(a)'),
  at('SELECT * FROM view(SELECT F(P))'),
  at("SELECT * FROM viewIfPermitted(SELECT F(P) AS a ELSE null('a String'))"),
  at('EXPLAIN SYNTAX SELECT F(P)'),
  at('EXPLAIN header = 1, actions = 1 SELECT arrayMap(F, [P])'),
  at('DESCRIBE (SELECT F(P) AS a)'),
  at('CREATE VIEW v AS SELECT F(P) AS a', 'SELECT a FROM v'),
  at('CREATE VIEW v AS SELECT arrayMap({f:Identifier}, [P]) AS a', "SELECT a FROM v(f = 'file')", 'SELECT a FROM v(f = F)'),
  at('CREATE TABLE c (a String, b String ALIAS F(a)) ENGINE = Memory', 'INSERT INTO c (a) VALUES (P)', 'SELECT b FROM c'),
  at('CREATE TABLE c (a String, b String DEFAULT F(a)) ENGINE = Memory', 'INSERT INTO c (a) VALUES (P)', 'SELECT b FROM c'),
  at('CREATE TABLE c ENGINE = Memory AS SELECT F(P) AS a', 'SELECT a FROM c'),
  at('CREATE TABLE c (a String, CONSTRAINT k CHECK throwIf(1, F(a)) = 0) ENGINE = Memory', 'INSERT INTO c VALUES (P)'),
  at('CREATE TABLE c (a String) ENGINE = MergeTree ORDER BY F(a)', 'INSERT INTO c VALUES (P)'),
  at('CREATE MATERIALIZED VIEW m ENGINE = Memory AS SELECT F(b) AS a FROM t', 'INSERT INTO t (b) VALUES (P)', 'SELECT a FROM m'),
  at('ALTER TABLE t ADD COLUMN z String DEFAULT F(P)', 'SELECT z FROM t'),
  at('ALTER TABLE t UPDATE b = F(P) WHERE 1 SETTINGS mutations_sync = 1', 'SELECT b FROM t'),
  at('ALTER TABLE t MODIFY COLUMN b String DEFAULT F(P)'),
  at('DELETE FROM t WHERE throwIf(1, F(P))'),
  at('UPDATE t SET b = F(P) WHERE 1', 'SELECT b FROM t'),
  at('INSERT INTO t (b) SELECT F(P)', 'SELECT b FROM t'),
  at('INSERT INTO t (b) VALUES (F(P))', 'SELECT b FROM t'),
  at('INSERT INTO t (b) VALUES (arrayMap(F, [P])[1])', 'SELECT b FROM t'),
  at("SELECT * FROM format(JSONEachRow, 'a Int32, b String DEFAULT F(Q)', '{\"a\":1}')"),
  at("SELECT b FROM format(JSONEachRow, concat('a Int32, b String AL', 'IAS F(Q)'), '{\"a\":1}')"),
  at("SELECT b FROM values('a Int32, b String ALIAS F(Q)', 1)"),
  at("SELECT b FROM VALUES('a Int32, b String ALIAS F(Q)', 1)"),
  at("SELECT b FROM SQLStandardValues('a Int32, b String ALIAS F(Q)', 1)"),
  at("SELECT b FROM generateRandom('a Int32, b String ALIAS F(Q)', 1, 1, 1) LIMIT 1"),
  at("SELECT b FROM fuzzJSON('a', 'b String ALIAS F(Q)') LIMIT 1"),
  at("SELECT 1 SETTINGS additional_result_filter = 'throwIf(1, F(Q)) = 0'"),
  at("SELECT * FROM t SETTINGS additional_table_filters = {'t': 'throwIf(1, F(Q)) = 0'}"),
  at("SET additional_result_filter = 'throwIf(1, F(Q)) = 0'"),
  { statements: ['SELECT 1'], search: { additional_result_filter: 'throwIf(1, F(P)) = 0' } },
  { statements: ['SELECT arrayMap({f:Identifier}, [P])'], search: { param_f: 'F' } },
  { statements: ['INSERT INTO t (b) VALUES (arrayMap({f:Identifier}, [P])[1])', 'SELECT b FROM t'], search: { param_f: 'F' } },
  {
    statements: ['SELECT * FROM format(JSONEachRow, {s:String}, {d:String})'],
    search: { param_s: 'b String DEFAULT F(P)', param_d: '{}' },
  },
]

/**
 * Statements that access a file through a table function, a table engine or a database engine. `F` stands for the name of the function or
 * engine, and `P` stands for the quoted path of the file.
 */
export const sourcePositions: readonly Position[] = [
  at("SELECT * FROM F(P, 'LineAsString')"),
  at("SELECT * FROM F(P, 'LineAsString', 'a String')"),
  at("SELECT * FROM (SELECT 1) AS x, F(P, 'LineAsString') AS y"),
  at("SELECT * FROM view(SELECT * FROM F(P, 'LineAsString', 'a String'))"),
  at("SELECT * FROM loop(F(P, 'LineAsString', 'a String')) LIMIT 1"),
  at("SELECT 1 IN F(P, 'LineAsString', 'a String')"),
  at("DESCRIBE TABLE F(P, 'LineAsString')"),
  at("CREATE TABLE c AS F(P, 'LineAsString')", 'SELECT * FROM c'),
  at("CREATE TABLE c (a String) ENGINE = F('LineAsString', P)", 'SELECT * FROM c'),
  at('CREATE TABLE c (a String) ENGINE F(LineAsString, P)', 'SELECT * FROM c'),
  at('CREATE DATABASE d ENGINE = F(P)', 'SHOW TABLES FROM d'),
  at("INSERT INTO FUNCTION F(P, 'LineAsString', 'a String') SELECT 'overwritten'"),
  at("INSERT INTO t (b) SELECT * FROM F(P, 'LineAsString', 'a String')", 'SELECT b FROM t'),
]

export const plainStatements: readonly Position[] = [
  at('INSERT INTO t (b) FROM INFILE P FORMAT LineAsString', 'SELECT b FROM t'),
  at("INSERT INTO t (b) FROM/**/INFILE P COMPRESSION 'none' FORMAT LineAsString", 'SELECT b FROM t'),
  at('SELECT b FROM t INTO OUTFILE P TRUNCATE FORMAT TSV'),
  at('SELECT * FROM P'),
  at('SELECT * FROM default.P'),
  at('USE default', 'SELECT * FROM P'),
  { statements: ['SELECT * FROM `P`'], search: { database: 'default' } },
  { statements: ['SELECT * FROM {t:Identifier}'], search: { database: 'default', param_t: 'P' } },
  at("CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(FILE(PATH P FORMAT 'LineAsString')) LAYOUT(FLAT())", 'SELECT * FROM d'),
  at('CREATE FUNCTION g AS x -> file(x)', 'SELECT g(P)'),
  at("CREATE NAMED COLLECTION n AS filename = P, format = 'LineAsString'", 'SELECT * FROM file(n)'),
  at('ATTACH TABLE c FROM P (a String) ENGINE = Log', 'SELECT * FROM c'),
  at('CREATE TABLE c (a String) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = local, path = P)'),
  at('SELECT * FROM t FORMAT Template SETTINGS format_template_row = P'),
  at('SELECT * FROM t FORMAT Protobuf SETTINGS format_schema = P'),
  at('BACKUP TABLE t TO File(P)'),
  at('RESTORE TABLE t FROM File(P)'),
  at('SYSTEM RELOAD CONFIG'),
  at('SYSTEM SHUTDOWN'),
]

/** The engine treats all these spellings as the same name. */
export const spellings: readonly ((name: string) => string)[] = [
  name => name,
  name => `\`${name}\``,
  name => `"${name}"`,
  name => `\`\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}\``,
  name => `/* x */${name}/**/`,
  name => `-- \n${name} -- '\n`,
  name => name.toUpperCase(),
]
