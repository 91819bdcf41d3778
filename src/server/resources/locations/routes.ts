import { Type } from 'typebox'
import { dataCenterLocations } from '../../../contract/locations.ts'
import { Location, locationNames } from '../../../contract/resources/location.ts'
import type { App } from '../../http/app-type.ts'

const tags = ['Locations']

const locations = dataCenterLocations.map((region) => ({ region, name: locationNames[region] }))

export function locationRoutes(app: App): void {
  app.get('/v1/locations', { schema: { tags, response: { 200: Type.Array(Location) } } }, () => locations)
}
