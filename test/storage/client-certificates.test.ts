import { expect, test } from 'vitest'
import {
  countClientCertificates,
  deleteClientCertificate,
  findClientCertificate,
  insertClientCertificate,
  listClientCertificates,
} from '../../src/storage/client-certificates.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, certificateRow, t0 } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('gives a certificate back as it was written, to its own account alone', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const row = certificateRow(ours, { passphrase: 'v1:p', ca: 'a\r\nca\n', host: '*.Shop.example' })
    await insertClientCertificate(db, row)
    expect(await findClientCertificate(db, ours, row.id)).toEqual(row)
    expect(await findClientCertificate(db, theirs, row.id)).toBeUndefined()
    expect(await listClientCertificates(db, theirs)).toEqual([])
    expect(await deleteClientCertificate(db, theirs, row.id)).toBe(false)
    expect(await deleteClientCertificate(db, ours, row.id)).toBe(true)
    expect(await deleteClientCertificate(db, ours, row.id)).toBe(false)
  })

  test('lists the newest first, then by id, and counts them', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const rows = [t0, t0 + 2, t0 + 1, t0 + 1].map((createdAt) => certificateRow(accountId, { createdAt }))
    for (const row of rows) await insertClientCertificate(db, row)
    const inOrder = rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
    expect(await listClientCertificates(db, accountId)).toEqual(inOrder)
    expect(await countClientCertificates(db, accountId)).toBe(4)
    expect(await countClientCertificates(db, await addAccount(database))).toBe(0)
  })
})
