// What every emitter in JavaScript tells: the conversation of `scripts/story.py`.
import {readFileSync} from 'node:fs';

export const SYSTEM = 'Answer in one sentence.';
export const QUESTION = 'What is the weather in Zürich?';
export const ANSWER = 'It is 21 °C and clear in Zürich.';
export const CITY = {city: 'Zürich'};
export const WEATHER = {temperature_c: 21, sky: 'clear'};

/** Return `folders` of the `node_modules` beside `script` with their versions. */
export function packages(script, ...folders) {
  return folders.map((folder) => {
    const file = new URL(`node_modules/${folder}/package.json`, script);
    const {name, version} = JSON.parse(readFileSync(file, 'utf8'));
    return `${name}==${version}`;
  });
}
