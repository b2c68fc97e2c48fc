// Confines every query of a handle to the tenant: each table of a statement, even in subqueries, gets a condition on the tenant. Raw
// conditions cannot extend a query to rows of other tenants.
import {
  AliasNode,
  BinaryOperationNode,
  ColumnNode,
  type DeleteQueryNode,
  type InsertQueryNode,
  type JoinNode,
  type KyselyPlugin,
  type OnConflictNode,
  OnNode,
  type OperationNode,
  OperationNodeTransformer,
  OperatorNode,
  OrNode,
  ParensNode,
  type QueryId,
  ReferenceNode,
  SelectionNode,
  SelectQueryNode,
  TableNode,
  type UpdateQueryNode,
  ValueNode,
  WhereNode,
} from 'kysely'

export interface Scope {
  readonly id: string
  /** Returns the column that names the tenant. For a child table, returns the parent table and the column that refers to the parent row. */
  column(table: string): string | { readonly parent: string; readonly column: string }
  /** If true, queries also see rows without a tenant, which are managed for all tenants. */
  readonly withShared?: boolean
}

interface NamedTable {
  readonly table: string
  readonly name: string
}

function tableIn(node: OperationNode): NamedTable | undefined {
  if (TableNode.is(node)) return { table: node.table.identifier.name, name: node.table.identifier.name }
  if (!AliasNode.is(node) || !TableNode.is(node.node)) return undefined
  const alias = node.alias as OperationNode & { readonly name?: string }
  return { table: node.node.table.identifier.name, name: alias.name! }
}

const tablesIn = (nodes: readonly OperationNode[] = []): readonly NamedTable[] => nodes.map(tableIn).filter(table => table !== undefined)

const reference = (column: string, table: string) => ReferenceNode.create(ColumnNode.create(column), TableNode.create(table))
const operation = (left: OperationNode, operator: '=' | 'is' | 'in', right: OperationNode) =>
  BinaryOperationNode.create(left, OperatorNode.create(operator), right)

function conditionOf(scope: Scope, { table, name }: NamedTable): OperationNode {
  const owner = scope.column(table)
  if (typeof owner !== 'string') {
    const parents = SelectQueryNode.cloneWithSelections(SelectQueryNode.createFrom([TableNode.create(owner.parent)]), [
      SelectionNode.create(reference('id', owner.parent)),
    ])
    const where = WhereNode.create(conditionOf(scope, { table: owner.parent, name: owner.parent }))
    return operation(reference(owner.column, name), 'in', ParensNode.create({ ...parents, where } as SelectQueryNode))
  }
  const own = operation(reference(owner, name), '=', ValueNode.create(scope.id))
  if (!scope.withShared) return own
  return ParensNode.create(OrNode.create(own, operation(reference(owner, name), 'is', ValueNode.createImmediate(null))))
}

/**
 * Combines the existing condition with the given conditions by AND. The existing condition needs parentheses: without them, `a or b` would
 * become `… and a or b`.
 */
function confined(where: WhereNode | undefined, conditions: readonly OperationNode[]): WhereNode | undefined {
  const given = where === undefined ? [] : [ParensNode.create(where.where)]
  const [first, ...rest] = [...conditions, ...given]
  if (first === undefined) return undefined
  return rest.reduce<WhereNode>((all, next) => WhereNode.cloneWithOperation(all, 'And', next), WhereNode.create(first))
}

const joinsWithCondition = ['InnerJoin', 'LeftJoin', 'RightJoin', 'FullJoin']

class ScopeTransformer extends OperationNodeTransformer {
  readonly #scope: Scope

  constructor(scope: Scope) {
    super()
    this.#scope = scope
  }

  #confine<Query extends { readonly where?: WhereNode }>(query: Query, tables: readonly NamedTable[]): Query {
    const where = confined(
      query.where,
      tables.map(table => conditionOf(this.#scope, table)),
    )
    return { ...query, ...(where && { where }) }
  }

  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    return this.#confine(super.transformSelectQuery(node, queryId), tablesIn(node.from?.froms))
  }

  protected override transformUpdateQuery(node: UpdateQueryNode, queryId?: QueryId): UpdateQueryNode {
    const tables = tablesIn([...(node.table === undefined ? [] : [node.table]), ...(node.from?.froms ?? [])])
    return this.#confine(super.transformUpdateQuery(node, queryId), tables)
  }

  protected override transformDeleteQuery(node: DeleteQueryNode, queryId?: QueryId): DeleteQueryNode {
    return this.#confine(super.transformDeleteQuery(node, queryId), tablesIn([...node.from.froms, ...(node.using?.tables ?? [])]))
  }

  /** If a row of a different tenant has the same key, an upsert must not update this row. */
  protected override transformInsertQuery(node: InsertQueryNode, queryId?: QueryId): InsertQueryNode {
    const query = super.transformInsertQuery(node, queryId)
    const table = node.into && tableIn(node.into)
    if (table === undefined || query.onConflict?.updates === undefined) return query
    const updateWhere = confined(query.onConflict.updateWhere, [conditionOf(this.#scope, table)])
    return { ...query, onConflict: { ...query.onConflict, updateWhere } as OnConflictNode }
  }

  protected override transformJoin(node: JoinNode, queryId?: QueryId): JoinNode {
    const join = super.transformJoin(node, queryId)
    const table = tableIn(node.table)
    if (table === undefined) return join
    if (!joinsWithCondition.includes(node.joinType))
      throw new TypeError(`Join ${table.table} with an inner or outer join, not with ${node.joinType}.`)
    const condition = conditionOf(this.#scope, table)
    const on =
      join.on === undefined
        ? OnNode.create(condition)
        : OnNode.cloneWithOperation(OnNode.create(condition), 'And', ParensNode.create(join.on.on))
    return { ...join, on }
  }
}

export function scopePlugin(scope: Scope): KyselyPlugin {
  const transformer = new ScopeTransformer(scope)
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  }
}
