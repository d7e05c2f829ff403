// LangChain4j in Quarkus, which traces its AI services: a service that calls a tool.
package weather;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.service.SystemMessage;
import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Inject;
import java.util.Map;

@QuarkusMain
public class Weather implements QuarkusApplication {
  @Inject Assistant assistant;

  @Override
  @ActivateRequestContext
  public int run(String... arguments) {
    assistant.answer("What is the weather in Zürich?");
    return 0;
  }

  @ApplicationScoped
  static class Tools {
    @Tool(name = "get_weather", value = "Weather of a city.")
    Map<String, Object> weather(String city) {
      return Map.of("temperature_c", 21, "sky", "clear");
    }
  }
}

@RegisterAiService(tools = Weather.Tools.class)
interface Assistant {
  @SystemMessage("Answer in one sentence.")
  String answer(@UserMessage String question);
}
