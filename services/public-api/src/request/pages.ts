// Creates the bodies of responses that contain a page (contract §16.5).

interface Asked {
  readonly page: number
  readonly limit: number
}

export const pageMeta = ({ page, limit }: Asked, totalItems: number) => ({
  ...{ page, limit, totalItems },
  totalPages: Math.ceil(totalItems / limit),
})

interface Found<Row> {
  readonly rows: readonly Row[]
  readonly totalItems: number
}

export const pageBody = <Row, View>(asked: Asked, { rows, totalItems }: Found<Row>, view: (row: Row) => View) => ({
  data: rows.map(view),
  meta: pageMeta(asked, totalItems),
})

interface FoundWithCursor<Row> {
  readonly rows: readonly Row[]
  readonly cursor?: string
}

export const cursorBody = <Row, View>({ rows, cursor }: FoundWithCursor<Row>, view: (row: Row) => View) => ({
  data: rows.map(view),
  meta: cursor === undefined ? {} : { cursor },
})
